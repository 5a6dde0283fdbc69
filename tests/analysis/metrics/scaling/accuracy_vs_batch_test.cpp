// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/accuracy.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

RunRow with_accuracy(int gpus, std::vector<double> by_epoch, int repetition = 1) {
  RunRow run = test::run_at(gpus, 100, "ddp", repetition);
  for (std::size_t i = 0; i < by_epoch.size(); ++i) {
    run.evals.push_back({static_cast<int>(i), by_epoch[i], 0.5});
  }
  return run;
}

}  // namespace

TEST_CASE("final accuracy is that of the last epoch, and best accuracy is the maximum") {
  const Frame frame = test::frame_of({with_accuracy(1, {0.5, 0.9, 0.8})});
  const AccuracyPoint point = accuracy_points(frame).at(0);
  CHECK(point.final_accuracy.value == 0.8);
  CHECK(point.best_accuracy == 0.9);
}

TEST_CASE("repetitions of a point are summarised by their median and range") {
  const Frame frame = test::frame_of(
      {with_accuracy(2, {0.7}, 1), with_accuracy(2, {0.9}, 2), with_accuracy(2, {0.8}, 3)});
  const auto points = accuracy_points(frame);
  REQUIRE(points.size() == 1);
  CHECK(points[0].final_accuracy.value == 0.8);
  CHECK(points[0].final_accuracy.interval == Interval{Interval::Kind::Range, 0.7, 0.9});
  CHECK(points[0].global_batch == 128);
}

TEST_CASE("equal global batches on different GPU counts are not pooled") {
  RunRow one = with_accuracy(1, {0.7});
  one.batch_per_gpu = one.global_batch = 128;
  const Frame frame = test::frame_of({one, with_accuracy(2, {0.9})});
  CHECK(accuracy_points(frame).size() == 2);
}

TEST_CASE("runs without a finite final accuracy are left out") {
  const Frame frame = test::frame_of({with_accuracy(1, {}), with_accuracy(2, {0.5, std::nan("")})});
  CHECK(accuracy_points(frame).empty());
}

TEST_CASE("diverged repeats are counted next to those with an accuracy") {
  RunRow lost = test::run_at(2, 100, "ddp", 2);
  RunRow alone = test::run_at(4, 100);
  lost.outcome = alone.outcome = "Diverged";
  const Frame frame = test::frame_of({with_accuracy(2, {0.7}, 1), lost, alone});
  const auto points = accuracy_points(frame);
  REQUIRE(points.size() == 1);
  CHECK(points[0].final_accuracy.n == 1);
  CHECK(points[0].diverged == 1);
  const auto none = diverged_points(frame);
  REQUIRE(none.size() == 1);
  CHECK(none[0].gpus == 4);
  CHECK(none[0].diverged == 1);
}

}  // namespace dlscale::analysis
