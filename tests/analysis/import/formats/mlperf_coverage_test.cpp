// SPDX-License-Identifier: Apache-2.0
// Tests of the check whether the windows of an MLPerf log cover the training time of the run.
#include "analysis/import/formats/mlperf_coverage.hpp"

#include <catch2/catch.hpp>

namespace dlscale::analysis {
namespace {

/// Returns blocks of `wall_s` seconds with 1,000 samples, with one block every 10 s.
MlperfCoverage blocks_of(double wall_s, int blocks = 4) {
  MlperfCoverage coverage;
  for (int i = 0; i < blocks; ++i) {
    coverage.period_starts(10 * i);
    coverage.add_window({{10.0 * i, 10 * i + wall_s}}, 1000, i == 0, i + 1);
    coverage.period_ends(10 * i + wall_s);
  }
  return coverage;
}

}  // namespace

TEST_CASE("mlperf coverage: consecutive blocks are the training") {
  CHECK_FALSE(MlperfCoverage().contradiction());
  CHECK_FALSE(blocks_of(10).contradiction());
  CHECK_FALSE(blocks_of(6).contradiction());
}

TEST_CASE("mlperf coverage: more idle time than training is a contradiction") {
  const auto reason = blocks_of(3).contradiction();
  REQUIRE(reason);
  CHECK_THAT(*reason, Catch::Contains("last 12 s of the 33 s") && Catch::Contains("21 s are"));
}

TEST_CASE("mlperf coverage: evaluations and excluded time do not count as idle") {
  MlperfCoverage evaluated = blocks_of(3), open = blocks_of(3), only_quality,
                 left_out = blocks_of(3);
  for (const double begin_s : {3, 13, 23}) {
    evaluated.evaluation_starts(begin_s);
    evaluated.evaluation_stops(begin_s + 7);
    open.evaluation_starts(begin_s);  // no line states the end of this evaluation
    open.period_starts(begin_s + 7);
    left_out.leave_out({begin_s, begin_s + 7});
  }
  for (int i = 0; i < 4; ++i) {
    only_quality.add_window({{10.0 * i, 10.0 * i + 3}}, 1000, i == 0, i + 1);
    only_quality.period_ends(10 * i + 3);
    only_quality.evaluated(10 * i + 9);
  }
  CHECK_FALSE(evaluated.contradiction());
  CHECK_FALSE(open.contradiction());
  CHECK_FALSE(left_out.contradiction());
  CHECK_FALSE(only_quality.contradiction());
}

TEST_CASE("mlperf coverage: windows with a thousandth of the time do not cover the training") {
  MlperfCoverage coverage = blocks_of(0.01);
  for (const double begin_s : {0.01, 10.01, 20.01}) {
    coverage.evaluation_starts(begin_s);
    coverage.evaluation_stops(begin_s + 9.99);
  }
  CHECK(coverage.contradiction());
}

TEST_CASE("mlperf coverage: a window that is much faster than the others is a contradiction") {
  for (const double wall_s : {5.0, 1.0}) {
    MlperfCoverage coverage = blocks_of(10);
    coverage.add_window({{40, 40 + wall_s}}, 1000, false, 5);
    CHECK(coverage.contradiction().has_value() == (wall_s == 1.0));
  }
  MlperfCoverage slow_start;  // the check ignores warm-up windows
  slow_start.add_window({{0, 100}}, 1000, true, 1);
  slow_start.add_window({{100, 110}}, 1000, false, 2);
  CHECK_FALSE(slow_start.contradiction());
}

TEST_CASE("mlperf coverage: overlapping windows are a contradiction") {
  MlperfCoverage coverage = blocks_of(10);
  coverage.add_window({{20, 30}}, 1000, false, 5);
  REQUIRE(coverage.contradiction());
  CHECK_THAT(*coverage.contradiction(), Catch::Contains("add up to 50 s"));
}

}  // namespace dlscale::analysis
