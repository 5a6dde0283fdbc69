// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/warnings.hpp"

#include <catch2/catch.hpp>

#include "analysis/report/tables/tables.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using Catch::EndsWith;
using test::cell;
using test::frame_of;
using test::notes;
using test::number;
using test::run_at;

}  // namespace

TEST_CASE("a point with one run among repeated points is flagged wherever conclusions are drawn") {
  const Frame frame = frame_of({run_at(1, 1000), run_at(1, 1010, "ddp", 2), run_at(4, 3600)});
  const std::string caution = "warning: single runs at gpus=4: their results may be due to chance";
  for (const auto make :
       {&efficiency_table, &speedup_table, &throughput_table, &knee_table, &recommend_table}) {
    CHECK_THAT(notes(make(frame, {})), Contains(caution));
  }
  const Frame repeated = frame_of({run_at(1, 1000), run_at(1, 1010, "ddp", 2)});
  CHECK(caution_of_single_runs(scaling_curves(repeated)).empty());
}

TEST_CASE("if no point was repeated, the statistic notes it once") {
  const Frame frame = frame_of({run_at(1, 1000), run_at(4, 3600)});
  CHECK(caution_of_single_runs(scaling_curves(frame)).empty());
  CHECK_THAT(notes(efficiency_table(frame, {})), Contains("the spread is unknown"));
}

TEST_CASE("parts that do not add up to the wall time are flagged, and small gaps are not") {
  Frame frame = frame_of({run_at(1, 1000), run_at(4, 3600)});
  frame.runs[0].steps.wall_s *= 1.02;
  CHECK_THAT(notes(breakdown_table(frame, {})), !Contains("warning"));
  frame.runs[1].steps.wall_s *= 1.25;
  CHECK_THAT(notes(breakdown_table(frame, {})),
             Contains("warning: the parts do not add up to the wall time") &&
                 Contains("80.0 % at ") && Contains("gpus=4"));
  frame.runs[1].steps.wall_s /= 1.25 * 1.1;
  CHECK_THAT(notes(breakdown_table(frame, {})), Contains("110.0 % at "));
}

TEST_CASE("some points that do not add up are named and the others are counted") {
  std::vector<Breakdown> open;
  for (int gpus = 1; gpus <= 6; ++gpus) open.push_back({{}, gpus, 1, 1, {}, 0.5});
  CHECK_THAT(caution_of_closure(open), EndsWith("; and 2 more"));
}

TEST_CASE("samples repeated to fill the last batch are flagged from 1 %") {
  Frame frame = frame_of({run_at(1, 1000), run_at(4, 3600)});
  frame.runs[1].size = {1000, 60000, 15, 590};
  CHECK_THAT(notes(efficiency_table(frame, {})), !Contains("used twice"));
  frame.runs[1].size = {1000, 60000, 15, 1400};
  CHECK_THAT(notes(efficiency_table(frame, {})),
             Contains("warning: samples used twice to fill the last batch of an epoch: "
                      "2.3 % at gpus=4"));
}

TEST_CASE("samples left out of each epoch are flagged") {
  Frame frame = frame_of({run_at(1, 1000), run_at(4, 3600)});
  frame.runs[1].size = {1000, 1281167, 19, 0, 36000};
  CHECK_THAT(notes(throughput_table(frame, {})),
             Contains("samples of the training set missing in each epoch: 2.8 % at gpus=4"));
}

TEST_CASE("runs with different stop rules have no efficiency, or a warning when allowed") {
  Frame frame = frame_of({run_at(1, 1000), run_at(4, 3600)});
  frame.runs[0].conditions["stop_rule"] = "epochs";
  frame.runs[1].conditions["stop_rule"] = "accuracy >= 0.94 or epochs";
  const Table refused = efficiency_table(frame, {});
  CHECK(std::holds_alternative<std::monostate>(cell(refused, 1, "efficiency")));
  CHECK_THAT(
      notes(refused),
      Contains(
          "is not comparable, because stop_rule is \"epochs\" at gpus=1 but \"accuracy >= 0.94 or "
          "epochs\" at gpus=4 (use --mixed to compare anyway)"));
  const Table allowed = efficiency_table(frame, {{}, true});
  CHECK(number(allowed, 1, "efficiency") == Approx(0.9));
  CHECK_THAT(notes(allowed), Contains("warning") && Contains("mixes conditions: stop_rule"));
}

TEST_CASE("conclusions from single runs only are flagged") {
  const Frame single = frame_of({run_at(1, 1000), run_at(4, 3600)});
  const Frame repeated = frame_of({run_at(1, 1000), run_at(1, 1010, "ddp", 2), run_at(4, 3600)});
  for (const auto make : {&knee_table, &recommend_table}) {
    CHECK_THAT(notes(make(single, {})), Contains("warning: no configuration was repeated (n = 1)"));
    CHECK_THAT(notes(make(repeated, {})), !Contains("no configuration was repeated"));
  }
}

}  // namespace dlscale::analysis
