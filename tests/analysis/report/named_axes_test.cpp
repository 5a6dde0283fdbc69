// SPDX-License-Identifier: Apache-2.0
// Tests of study axes that have the same name as a table column.
#include <catch2/catch.hpp>

#include "analysis/report/tables/tables.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::notes;
using test::number;
using test::run_at;
using test::text;

/// Returns two curves that differ in the axis `name`.
Frame frame_with_axis(const std::string& name) {
  Frame frame = frame_of({run_at(1, 100), run_at(2, 190), run_at(1, 90), run_at(2, 170)});
  frame.axes = {{name, {"low", "high"}}, {"gpus", {"1", "2"}}};
  for (std::size_t i = 0; i < frame.runs.size(); ++i) {
    frame.runs[i].run_id += std::to_string(i);
    frame.runs[i].point = {{name, i < 2 ? "low" : "high"}};
  }
  return frame;
}

std::string written(const char* format, const Frame& frame,
                    Table (*make)(const Frame&, const AnalysisOptions&) = &efficiency_table) {
  return find_report_writer(format).render({{make(frame, {})}});
}

}  // namespace

TEST_CASE("an axis called n keeps its position and is renamed") {
  const Table table = efficiency_table(frame_with_axis("n"), {});
  CHECK(table.columns.front().id == "axis_n");
  CHECK(table.columns.front().title == "axis n");
  CHECK(text(table, 0, "axis_n") == "low");
  CHECK(number(table, 0, "n") == 1);
  CHECK_THAT(notes(table), Contains("axis_n: the study's axis n"));
}

TEST_CASE("an axis without a column of the same name keeps its name") {
  const Table table = efficiency_table(frame_with_axis("depth"), {});
  CHECK(table.columns.front().id == "depth");
  CHECK_THAT(notes(table), !Contains("the study's axis"));
}

TEST_CASE("CSV has one column of each name, including bounds") {
  CHECK_THAT(written("csv", frame_with_axis("efficiency")),
             Contains("\naxis_efficiency,gpus,nodes,n,") &&
                 Contains(",efficiency,efficiency_low,efficiency_high\nlow,1,"));
  CHECK_THAT(written("csv", frame_with_axis("efficiency_low")),
             Contains("\naxis_efficiency_low,gpus,"));
}

TEST_CASE("JSON has one value of each name") {
  const std::string json = written("json", frame_with_axis("nodes"));
  CHECK_THAT(json, Contains("\"axis_nodes\": \"low\"") && Contains("\"nodes\": 1"));
  CHECK_THAT(json, !Contains("\"nodes\": \"low\""));
}

TEST_CASE("pairs and recommendations have short axis names for readers, whole ones for programs") {
  const Frame frame = frame_with_axis("training.depth");
  for (const auto& [make, name] : {std::pair(&verdicts_table, "depth=low"),
                                   std::pair(&recommend_table, "depth=low, gpus=1")}) {
    const std::string whole = "training." + std::string(name);
    for (const char* format : {"text", "markdown", "latex"}) {
      CHECK_THAT(written(format, frame, make), Contains(name) && !Contains(whole));
    }
    for (const char* format : {"csv", "json"}) {
      CHECK_THAT(written(format, frame, make), Contains(whole));
    }
  }
}

TEST_CASE("axes with equal names after renaming are distinguished too") {
  Frame frame = frame_with_axis("n");
  frame.axes.push_back({"axis_n", {"a", "b"}});
  for (RunRow& run : frame.runs) run.point["axis_n"] = run.point["n"] == "low" ? "a" : "b";
  const Table table = efficiency_table(frame, {});
  CHECK(text(table, 0, "axis_axis_n") == "low");
  CHECK(text(table, 0, "axis_n") == "a");
}

}  // namespace dlscale::analysis
