// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/selected_runs.hpp"

#include <catch2/catch.hpp>

#include "analysis/metrics/scaling/baseline.hpp"
#include "tests/analysis/support/rows.hpp"

using namespace dlscale;
using Catch::Contains;
using contract::BaselineRule;

namespace {

/// Returns a frame with a curve of ddp from 1 GPU on and a curve of horovod from 2 GPUs on. The GPU
/// counts in both curves are 2 and 4.
analysis::Frame study() {
  return test::frame_of({test::run_at(1, 100), test::run_at(2, 190), test::run_at(4, 360),
                         test::run_at(2, 180, "horovod"), test::run_at(4, 340, "horovod")});
}

std::vector<analysis::BaselineChoice> choices(const std::set<std::string>& ids, BaselineRule rule) {
  analysis::Frame frame = study();
  keep_runs(frame, ids, rule);
  return choose_baselines(scaling_curves(frame), rule, false);
}

}  // namespace

TEST_CASE("only the selected runs are kept") {
  analysis::Frame frame = study();
  BaselineRule rule;
  keep_runs(frame, {"ddp-g4-r1", "horovod-g2-r1", "unknown"}, rule);
  REQUIRE(frame.runs.size() == 2);
  CHECK(frame.runs[0].run_id == "ddp-g4-r1");
  CHECK(frame.runs[1].run_id == "horovod-g2-r1");
}

TEST_CASE("the smallest common count of all curves is kept for a single selected curve") {
  const auto found = choices({"ddp-g1-r1", "ddp-g2-r1", "ddp-g4-r1"}, {});
  REQUIRE(found.size() == 1);
  CHECK(found[0].baseline->gpus() == 2);
}

TEST_CASE("a curve without the runs of its baseline has no baseline, with any rule") {
  const auto common = choices({"ddp-g4-r1"}, {});
  CHECK_FALSE(common.at(0).baseline);
  CHECK_THAT(common.at(0).problem,
             Contains("baseline gpus=2") && Contains("this curve has gpus=4"));
  const auto own = choices({"ddp-g2-r1", "ddp-g4-r1", "horovod-g2-r1"}, {"per-curve", 0});
  CHECK_THAT(own.at(0).problem,
             Contains("baseline gpus=1") && Contains("this curve has gpus=2, 4"));
  CHECK(own.at(1).baseline->gpus() == 2);
  const auto named = choices({"ddp-g2-r1"}, {"gpus", 1});
  CHECK_THAT(named.at(0).problem, Contains("baseline gpus=1"));
}

TEST_CASE("node counts stay separate after the differing run is left out") {
  analysis::Frame frame = study();
  for (analysis::RunRow& run : frame.runs) run.point["nodes"] = "1";
  frame.runs.push_back(test::run_at(4, 300, "ddp", 2));
  frame.runs.back().point["nodes"] = "2";
  BaselineRule rule{"per-curve", 0};
  keep_runs(frame, {"ddp-g2-r1", "ddp-g4-r1"}, rule);
  const auto curves = scaling_curves(frame);
  REQUIRE(curves.size() == 1);
  CHECK(value_of(curves[0].key, "nodes") == "1");
  CHECK(curves[0].first_gpus == 1);
}

TEST_CASE("the frame's own rule keeps its count too") {
  analysis::Frame frame = study();
  BaselineRule chosen{"gpus", 4};
  keep_runs(frame, {"ddp-g4-r1"}, chosen);
  CHECK(chosen == BaselineRule{"gpus", 4});
  CHECK(frame.baseline == BaselineRule{"smallest-common", 2});
}
