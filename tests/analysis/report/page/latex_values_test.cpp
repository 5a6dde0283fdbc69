// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/latex_values.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/analysis/support/rows.hpp"
#include "tests/analysis/support/sample_page.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

std::string value_of(const std::vector<LatexValue>& values, const std::string& key) {
  for (const LatexValue& value : values) {
    if (value.key == key) return value.text;
  }
  return "none";
}

}  // namespace

TEST_CASE("each number has a name by table, row and column, and its displayed value") {
  const Frame frame = frame_of(
      {run_at(1, 1000), run_at(4, 3600), run_at(1, 900, "horovod"), run_at(4, 3500, "horovod")});
  const std::vector<LatexValue> values = latex_values({{efficiency_table(frame, {})}});
  CHECK(value_of(values, "efficiency/ddp/gpus-4/speedup") == "3.600");
  CHECK(value_of(values, "efficiency/ddp/gpus-4/efficiency") == "0.900");
  CHECK(value_of(values, "efficiency/horovod/gpus-1/throughput-samples-per-s") == "900.0");
  // An efficiency from single runs has no limits.
  CHECK(value_of(values, "efficiency/ddp/gpus-4/efficiency-low") == "none");
}

TEST_CASE("numbers of a collective are also named by message size") {
  RunRow run = run_at(8, 1000);
  run.collectives = {{"all_reduce", "float", false, 8, 1e-5, 2, 3.5, 0},
                     {"all_reduce", "float", false, 1024, 1e-4, 4, 7, 0}};
  const std::vector<LatexValue> values = latex_values({{collectives_table(frame_of({run}), {})}});
  const std::string name = "collectives/gpus-8/all-reduce/float/out-of-place/size-bytes-";
  CHECK(value_of(values, name + "8/busbw-gb-per-s") == "3.50");
  CHECK(value_of(values, name + "1024/busbw-gb-per-s") == "7.00");
}

TEST_CASE("bounds are two numbers, and missing values have no name") {
  const std::vector<LatexValue> values = latex_values(test::sample_page().report);
  CHECK(value_of(values, "sample/plain/step-time-s") == "12.3");
  CHECK(value_of(values, "sample/plain/efficiency-low") == "0.90");
  CHECK(value_of(values, "sample/plain/efficiency-high") == "1.00");
  CHECK(value_of(values, "sample/third/step-time-s") == "none");
  CHECK(values.size() == 4);
}

TEST_CASE("names have safe characters, and equal row names are numbered") {
  Report report = test::sample_page().report;
  Table& table = report.tables[0];
  table.rows[0][0] = std::string("a_b \\input{x} %~é");
  table.rows[1][0] = std::string("a b-input/x");
  const std::vector<LatexValue> values = latex_values(report);
  std::set<std::string> keys;
  for (const LatexValue& value : values) {
    CHECK(keys.insert(value.key).second);
    CHECK(value.key.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789-./") == std::string::npos);
  }
  CHECK(value_of(values, "sample/a-b-input-x/2/step-time-s") == "-1500.0");
}

TEST_CASE("the file defines the macro once and each number under the study's name") {
  StudyPage page = test::sample_page();
  page.title = "made up & more";
  const std::string text = latex_values_file(page);
  CHECK_THAT(text, Contains("\\providecommand\\dlsval[2]"));
  CHECK_THAT(text, Contains("\n\\dlsvaldef{made-up-more}{sample/plain/step-time-s}{12.3}%\n"));
  CHECK(latex_study("模型") == "study");
}

}  // namespace dlscale::analysis
