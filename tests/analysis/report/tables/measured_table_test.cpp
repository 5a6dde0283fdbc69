// SPDX-License-Identifier: Apache-2.0
// Tests of the table of quantities that programs measured.
#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using test::column;
using test::frame_of;
using test::number;
using test::run_at;
using test::table_of;

RunRow measured(int gpus, int repetition, double mfu) {
  RunRow run = run_at(gpus, 1000, "ddp", repetition);
  run.measured = {{{"mfu", "%"}, mfu}, {{"tflops_per_gpu", "TFLOP/s"}, 10 * mfu}};
  return run;
}

std::string csv(const Table& table) {
  return find_report_writer("csv").render({{table}});
}

}  // namespace

TEST_CASE("the measured table has a column with median and range for each quantity") {
  const Table table = table_of("measured", frame_of({measured(1, 1, 40), measured(1, 2, 42),
                                                     measured(1, 3, 47), measured(2, 1, 30)}));
  REQUIRE(table.rows.size() == 2);
  CHECK(number(table, 0, "n") == 3);
  CHECK(number(table, 0, "mfu") == 42);
  const Bounds range = std::get<Bounds>(table.rows[0][column(table, "mfu") + 1]);
  CHECK(range.low == 40);
  CHECK(range.high == 47);
  CHECK(number(table, 1, "tflops_per_gpu") == 300);
  CHECK(heading(table.columns[column(table, "tflops_per_gpu")]) == "tflops per gpu (TFLOP/s)");
}

TEST_CASE("six repeats give a 95 % interval of a measured quantity") {
  std::vector<RunRow> runs;
  for (int i = 1; i <= 6; ++i) runs.push_back(measured(1, i, 40 + i));
  const Table table = table_of("measured", frame_of(std::move(runs)));
  CHECK(table.columns[column(table, "mfu") + 1].title == "95 % interval");
}

TEST_CASE("a quantity has four digits, and each unit of a name has a column of its own") {
  RunRow other = run_at(2, 1000);
  other.measured = {{{"mfu", ""}, 0.4}, {{"n", ""}, 221070}};
  const Table table = table_of("measured", frame_of({measured(1, 1, 38.2), other}));
  CHECK(table.columns[column(table, "measured_mfu")].decimals == 2);
  CHECK(table.columns[column(table, "mfu")].decimals == 4);
  CHECK(table.columns[column(table, "measured_n")].decimals == 0);
}

TEST_CASE("the columns of a quantity and of its interval have names of their own") {
  RunRow run = run_at(1, 1000);
  run.measured = {{{"mfu", ""}, 40}, {{"mfu_low", ""}, 7}, {{"mfu_high", ""}, 9}};
  CHECK_THAT(csv(table_of("measured", frame_of({run}))),
             Catch::Contains("\ngpus,n,mfu,mfu_low,mfu_high,"
                             "measured_mfu_high,measured_mfu_high_low,measured_mfu_high_high,"
                             "measured_mfu_low,measured_mfu_low_low,measured_mfu_low_high\n"));
}

TEST_CASE("an axis with the name of a measured quantity is renamed") {
  Frame frame = frame_of({measured(1, 1, 40), measured(1, 2, 30)});
  frame.axes = {{"mfu", {"low", "high"}}, {"gpus", {"1"}}};
  frame.runs[0].point = {{"mfu", "low"}};
  frame.runs[1].point = {{"mfu", "high"}};
  CHECK_THAT(csv(table_of("measured", frame)),
             Catch::Contains("\naxis_mfu,gpus,n,mfu,mfu_low,mfu_high,"));
}

TEST_CASE("collect shows the measured table only if a run measured a quantity") {
  const auto shows = [](const Frame& frame) {
    const std::vector<std::string> names = first_metrics(frame);
    return std::find(names.begin(), names.end(), "measured") != names.end();
  };
  CHECK(shows(frame_of({measured(1, 1, 40), run_at(2, 1000)})));
  CHECK_FALSE(shows(frame_of({run_at(2, 1000)})));
}

TEST_CASE("a study whose programs measured nothing has no row, and the reason is stated") {
  const Frame frame = frame_of({run_at(1, 1000)});
  CHECK(table_of("measured", frame).rows.empty());
  CHECK_THAT(why_nothing(find_metric("measured"), frame, {}),
             Catch::Contains("measured needs a completed run whose log format or recorder"));
}

}  // namespace dlscale::analysis
