// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/pivot.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "analysis/report/tables/metrics.hpp"
#include "analysis/report/writers/report_writer.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/rows.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::cell;
using test::column;
using test::frame_of;
using test::number;
using test::run_at;

Frame two_frameworks() {
  return frame_of({run_at(1, 900, "horovod"), run_at(2, 1700, "horovod"),
                   run_at(4, 3500, "horovod"), run_at(1, 1000), run_at(4, 3600)});
}

Table pivot_of(const char* metric, const std::string& axis) {
  return make_report(find_metric(metric), two_frameworks(), {}, {}, axis).tables.at(0);
}

}  // namespace

TEST_CASE("the values of an axis become groups of columns in the study's order") {
  const Table table = pivot_of("throughput", "framework");
  REQUIRE(table.rows.size() == 3);
  CHECK(column(table, "gpus") == 0);
  CHECK(column(table, "ddp_n") == 1);
  CHECK(column(table, "ddp_n") < column(table, "horovod_n"));
  CHECK(number(table, 1, "gpus") == 2);
  CHECK(number(table, 2, "ddp_throughput_samples_per_s") == Approx(3600));
  CHECK(number(table, 2, "horovod_throughput_samples_per_s") == Approx(3500));
  CHECK(std::holds_alternative<std::monostate>(cell(table, 1, "ddp_throughput_samples_per_s")));
  CHECK(table.columns.at(column(table, "horovod_n")).title == "horovod n");
  CHECK_THAT(test::notes(table), Contains("columns side by side for each framework: ddp, horovod"));
}

TEST_CASE("columns of values that are numbers begin with the name of the axis") {
  const Table table = pivot_of("throughput", "gpus");
  REQUIRE(table.rows.size() == 2);
  CHECK(test::text(table, 0, "framework") == "ddp");
  CHECK(number(table, 0, "gpus_4_throughput_samples_per_s") == Approx(3600));
  CHECK(number(table, 1, "gpus_2_throughput_samples_per_s") == Approx(1700));
}

TEST_CASE("ids of columns stay unique if values differ only in punctuation") {
  Table table{.id = "t", .title = "t"};
  table.columns = {{.id = "loader", .title = "loader", .is_key = true}, {"n", "n"}};
  table.rows = {{std::string("dali-cpu"), 1.0}, {std::string("dali_cpu"), 2.0}};
  const Table pivot = pivoted(table, "loader", {});
  REQUIRE(pivot.rows.size() == 1);
  CHECK(number(pivot, 0, "dali_cpu_n") == 1);
  CHECK(number(pivot, 0, "dali_cpu_2_n") == 2);
}

TEST_CASE("rows that the key columns do not tell apart stay separate") {
  Table table{.id = "t", .title = "t"};
  table.columns = {{.id = "loader", .title = "loader", .is_key = true}, {"n", "n"}};
  table.rows = {{std::string("a"), 1.0}, {std::string("a"), 2.0}, {std::string("b"), 3.0}};
  const Table pivot = pivoted(table, "loader", {});
  REQUIRE(pivot.rows.size() == 2);
  CHECK(number(pivot, 0, "b_n") == 3);
  CHECK(number(pivot, 1, "a_n") == 2);
  CHECK(std::holds_alternative<std::monostate>(cell(pivot, 1, "b_n")));
}

TEST_CASE("every format writes a pivoted table") {
  const Report report =
      make_report(find_metric("efficiency"), two_frameworks(), {}, {}, "framework");
  for (const char* format : {"text", "markdown", "latex"}) {
    INFO(format);
    CHECK_THAT(find_report_writer(format).render(report), Contains("horovod efficiency"));
  }
  for (const char* format : {"csv", "json"}) {
    INFO(format);
    CHECK_THAT(find_report_writer(format).render(report), Contains("horovod_efficiency"));
  }
}

TEST_CASE("tables divided by --by are not divided by the axis of --pivot") {
  Frame frame = two_frameworks();
  for (RunRow& run : frame.runs) run.point["loader"] = run.gpus == 2 ? "native" : "dali";
  const Report report =
      make_report(find_metric("throughput"), frame, {}, {"batch_per_gpu"}, "framework");
  REQUIRE(report.tables.size() == 2);
  CHECK(number(report.tables[0], 0, "ddp_throughput_samples_per_s") == Approx(1000));
  // Only horovod ran with the loader native, so this table has no axis to pivot.
  CHECK(number(report.tables[1], 0, "throughput_samples_per_s") == Approx(1700));
}

TEST_CASE("an unknown axis of --pivot is an error with the nearest name") {
  CHECK_THROWS_WITH(pivot_of("throughput", "framwork"),
                    Contains("--pivot: unknown axis \"framwork\"; did you mean \"framework\"?"));
}

TEST_CASE("a metric without rows by the axis, and an axis with one value, are errors") {
  CHECK_THROWS_WITH(pivot_of("verdicts", "framework"),
                    Contains("--pivot: the metric verdicts has no rows by framework"));
  Frame single = two_frameworks();
  std::erase_if(single.runs, [](const RunRow& run) { return run.point.at("framework") == "ddp"; });
  CHECK_THROWS_WITH(make_report(find_metric("throughput"), single, {}, {}, "framework"),
                    Contains("--pivot: all runs have framework=horovod"));
}

}  // namespace dlscale::analysis
