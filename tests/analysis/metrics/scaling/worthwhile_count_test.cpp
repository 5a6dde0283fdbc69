// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/worthwhile_count.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "tests/analysis/support/repeated_runs.hpp"

namespace dlscale::analysis {
namespace {

using test::add_repeats;
using test::frame_of;

WorthwhileCount count_of_frame(const Frame& frame, double min_efficiency = 0.8) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  return worthwhile_count(curves.at(0), Baseline(curves.at(0).points.front()), min_efficiency)
      .value();
}

}  // namespace

TEST_CASE("the worthwhile count is the largest one whose lower bound is sufficient") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 190, 6);
  add_repeats(frame, 4, 350, 6);
  add_repeats(frame, 8, 400, 6);
  const WorthwhileCount result = count_of_frame(frame);
  CHECK(result.gpus == 4);
  CHECK(result.at_count->efficiency.value == Approx(0.875).margin(0.01));
  CHECK(result.at_count->efficiency.interval.low >= 0.8);
  CHECK(result.speedup == Approx(3.5).margin(0.04));
  CHECK(result.beyond->gpus == 8);
  CHECK_FALSE(result.is_beyond_unclear);
  CHECK(result.is_proven);
  CHECK(count_of_frame(frame, 0.9).gpus == 2);
  CHECK(count_of_frame(frame, 0.4).gpus == 8);
}

TEST_CASE("an interval that contains the demanded efficiency decides nothing") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 160, 6);
  const WorthwhileCount result = count_of_frame(frame);
  CHECK(result.gpus == 1);
  CHECK_FALSE(result.at_count);
  CHECK(result.beyond->efficiency.interval.low < 0.8);
  CHECK(result.beyond->efficiency.interval.high > 0.8);
  CHECK(result.is_beyond_unclear);
}

TEST_CASE("a sufficient count above an insufficient one is not worthwhile") {
  Frame frame = frame_of({});
  add_repeats(frame, 1, 100, 6);
  add_repeats(frame, 2, 120, 6);
  add_repeats(frame, 4, 390, 6);
  CHECK(count_of_frame(frame).gpus == 1);
}

TEST_CASE("few repeats give a count that is not proven") {
  for (const int repeats : {1, 5}) {
    Frame frame = frame_of({});
    add_repeats(frame, 1, 100, repeats);
    add_repeats(frame, 2, 190, repeats);
    const WorthwhileCount result = count_of_frame(frame);
    CHECK(result.gpus == 2);
    CHECK_FALSE(result.beyond);
    CHECK_FALSE(result.is_proven);
  }
}

TEST_CASE("a curve with one count has no worthwhile count") {
  Frame frame = frame_of({});
  add_repeats(frame, 4, 100, 6);
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  CHECK_FALSE(worthwhile_count(curves.at(0), Baseline(curves.at(0).points.front()), 0.8));
}

}  // namespace dlscale::analysis
