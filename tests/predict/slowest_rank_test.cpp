// SPDX-License-Identifier: Apache-2.0
#include "predict/slowest_rank.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>

using namespace dlscale;
using namespace dlscale::predict;

namespace {

const double kSquareRootOfPi = std::sqrt(std::numbers::pi);

/// Returns blocks of `steps` steps each. A step takes one second on average, with a standard
/// deviation of 0.1 s.
std::vector<StepBlock> drawn_blocks(int count, int steps) {
  std::mt19937 random(7);
  std::normal_distribution<double> step(1, 0.1);
  std::vector<StepBlock> blocks;
  for (int i = 0; i < count; ++i) {
    StepBlock block{.steps = static_cast<double>(steps)};
    for (int k = 0; k < steps; ++k) block.work_s += step(random);
    blocks.push_back(block);
  }
  return blocks;
}

contract::ComputeTime step_of_two_s(std::int64_t batch, double deviation_s, int ranks) {
  return {.batch = batch,
          .forward_s = 0.5,
          .backward_s = 1,
          .optimizer_s = 0.5,
          .deviation_s = deviation_s,
          .ranks_on_node = ranks};
}

}  // namespace

TEST_CASE("the mean largest normal value matches tables of order statistics") {
  CHECK(mean_largest(1) == 0);
  CHECK(mean_largest(2) == Approx(1 / kSquareRootOfPi).epsilon(1e-9));
  CHECK(mean_largest(3) == Approx(1.5 / kSquareRootOfPi).epsilon(1e-9));
  // The following values are from Harter, Biometrika 48 (1961).
  CHECK(mean_largest(4) == Approx(1.02938).margin(5e-6));
  CHECK(mean_largest(10) == Approx(1.53875).margin(5e-6));
  CHECK(mean_largest(100) == Approx(2.50759).margin(5e-6));
  CHECK(mean_largest(400) == Approx(2.96818).margin(5e-6));
}

TEST_CASE("the mean largest of thousands of values matches Blom's approximation within 1 %") {
  // P(Z <= 3.6109) = (4096 - 0.375) / (4096 + 0.25)
  const double blom = 3.6109;
  CHECK(std::erfc(blom / std::numbers::sqrt2) / 2 == Approx(0.625 / 4096.25).epsilon(0.01));
  CHECK(mean_largest(4096) == Approx(blom).epsilon(0.01));
  CHECK(mean_largest(8192) > mean_largest(4096));
}

TEST_CASE("the deviation of a step is recovered from single steps and from blocks") {
  CHECK(step_deviation(drawn_blocks(4000, 1)).value == Approx(0.1).epsilon(0.05));
  CHECK(step_deviation(drawn_blocks(4000, 8)).value == Approx(0.1).epsilon(0.15));
}

TEST_CASE("the deviation of steps is at most that of blocks that do not even out") {
  // Groups of four blocks alternate between steps of 1 s and steps of 1.1 s. Consecutive blocks
  // therefore differ by 25 ms per step on average.
  std::vector<StepBlock> levels;
  for (int i = 0; i < 512; ++i) levels.push_back({8, i / 4 % 2 == 0 ? 8.0 : 8.8});
  CHECK(step_deviation(levels).value == Approx(0.022).epsilon(0.05));
  levels.resize(7);  // too few pairs
  CHECK(step_deviation(levels).value < 0.022);
}

TEST_CASE("slow changes do not count as deviation") {
  std::vector<StepBlock> slower;
  for (int i = 0; i < 100; ++i) slower.push_back({1, 1 + 0.001 * i});
  CHECK(step_deviation(slower).value < 0.002);
}

TEST_CASE("too few blocks or equal steps have a deviation of 0") {
  const std::vector<StepBlock> four{{1, 1}, {1, 2}, {1, 1}, {1, 2}};
  CHECK(step_deviation(four).value == 0);
  CHECK(step_deviation({}).value == 0);
  CHECK(step_deviation(std::vector<StepBlock>(20, {2, 3})).value == 0);
}

TEST_CASE("a deviation is scaled from the nearest number of ranks, then the nearest batch") {
  const std::vector<contract::ComputeTime> measured{
      step_of_two_s(4, 0.2, 1), step_of_two_s(32, 0.1, 1), step_of_two_s(4, 0.4, 8)};
  CHECK(deviation_at(measured, 4, 1, {2}).value == Approx(0.2));
  CHECK(deviation_at(measured, 4, 1, {1}).value == Approx(0.1));
  CHECK(deviation_at(measured, 64, 2, {2}).value == Approx(0.1));
  CHECK(deviation_at(measured, 64, 4, {2}).value == Approx(0.4));
  CHECK(deviation_at({}, 4, 1, {2}).value == 0);
}

TEST_CASE("ranks whose measured all-reduces include the wait do not wait twice") {
  std::vector<contract::ComputeTime> measured{step_of_two_s(4, 0.2, 1), step_of_two_s(4, 0, 4)};
  CHECK(deviation_at(measured, 4, 4, {2}).value == 0);
  CHECK(deviation_at(measured, 4, 1, {2}).value == Approx(0.2));
  measured.push_back(step_of_two_s(8, 0, 1));  // run with too few windows
  CHECK(deviation_at(measured, 8, 1, {2}).value == Approx(0.2));
}
