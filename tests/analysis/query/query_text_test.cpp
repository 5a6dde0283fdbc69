// SPDX-License-Identifier: Apache-2.0
#include "analysis/query/query_text.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/analysis/support/rows.hpp"
#include "tests/analysis/support/written_study.hpp"
#include "tests/cli/dlscale_program.hpp"

namespace dlscale::cli {
namespace {

using analysis::Aggregate;
using Catch::Contains;
using Words = std::vector<std::string>;

const analysis::Frame& frame() {
  static const analysis::Frame frame =
      test::frame_of({test::run_at(1, 100), test::run_at(2, 180), test::run_at(2, 150, "horovod")});
  return frame;
}

analysis::Query parsed(const std::string& text) {
  static const std::vector<analysis::RunColumn> columns = run_columns(frame());
  return analysis::parse_query(text, columns, frame());
}

std::string complaint(const std::string& text) {
  try {
    parsed(text);
  } catch (const base::SpecError& error) {
    return error.what();
  }
  return "no complaint";
}

std::size_t left_by(const std::string& text) {
  const analysis::Query query = parsed(text);
  std::size_t count = 0;
  for (const analysis::RunRow& run : frame().runs) count += query.where(run);
  return count;
}

}  // namespace

TEST_CASE("a query says what is shown, by what, and how rows are sorted") {
  const analysis::Query query = parsed(
      " median( samples_per_s ),count() by framework , gpus where gpus > 1 sort by "
      "median(samples_per_s) desc limit 5 ");
  CHECK(query.shown == std::vector<Aggregate>{{"median", "samples_per_s"}, {"count", ""}});
  CHECK(query.by == Words{"framework", "gpus"});
  CHECK(query.sort_by == "median(samples_per_s)");
  CHECK(query.descending);
  CHECK(query.limit == 5);
  CHECK(parsed("count() sort by gpus asc by gpus").sort_by == "gpus");
  CHECK_FALSE(parsed("count()").where);
}

TEST_CASE("the condition of a query may ask for axes, conditions and what was measured") {
  CHECK(left_by("count() where gpus == 2") == 2);
  CHECK(left_by("count() where framework == \"ddp\" && gpu matches 'A*' by gpus") == 2);
  CHECK(left_by("count() where samples_per_s > 120 limit 1") == 2);
  CHECK(left_by("count() where final_accuracy > 0") == 0);  // nobody evaluated
  CHECK(left_by("count() where framework in [\" by \", 'horovod'] by gpus") == 1);
}

TEST_CASE("what is no query is told with its place and the nearest name") {
  CHECK(complaint("medain(gpus)") ==
        "--query: character 1 of 'medain(gpus)': unknown function \"medain\"; did you mean "
        "\"median\"? (known: count, min, max, median, interval, mean, sum, total)");
  CHECK_THAT(complaint("count() by framwork"),
             Contains("character 12 of") && Contains("did you mean \"framework\"?"));
  CHECK_THAT(complaint("max(samples_per_sec)"),
             Contains("character 5 of") && Contains("did you mean \"samples_per_s\"?"));
  CHECK_THAT(complaint("count() bye gpus"),
             Contains("character 9 of") && Contains("did you mean \"by\"?"));
  CHECK_THAT(complaint("count() where gpus = 1"),
             Contains("character 6 of 'gpus = 1': expected =="));
  CHECK_THAT(complaint("count() where gps > 1"), Contains("did you mean \"gpus\"?"));
  CHECK_THAT(complaint("mean(samples_per_s)"), Contains("a mean of rates is not a rate"));
}

TEST_CASE("of a long query the part around the fault is shown") {
  std::string query = "count() where gpus > 0";
  while (query.size() < 20000) query += " || gpus > 0";
  const std::string at_the_end = complaint(query + " by framwork limit 3");
  CHECK_THAT(at_the_end, Contains(fmt::format("character {} of '…", query.size() + 5)) &&
                             Contains(" by framwork limit 3': unknown column"));
  CHECK(at_the_end.size() < 4000);
  CHECK(complaint(query + " || gpus = 1").size() < 4000);
  const std::string word(20000, 'x');
  for (const std::string& text : {word, word + "(gpus)", "max(" + word + ")", "count() " + word,
                                  "count() by " + word, "count() sort by " + word}) {
    CHECK(complaint(text).size() < 4000);
  }
}

TEST_CASE("parts of a query that are missing, double or meaningless are told") {
  CHECK_THAT(complaint(""), Contains("expected a function such as"));
  CHECK_THAT(complaint("samples_per_s"), Contains("Say which, as median(samples_per_s)"));
  CHECK_THAT(complaint("median(gpus"), Contains("expected )"));
  CHECK_THAT(complaint("median()"), Contains("median of which column?"));
  CHECK_THAT(complaint("count(gpus)"), Contains("takes no column"));
  CHECK_THAT(complaint("count() + 1"), Contains("expected , or by"));
  CHECK_THAT(complaint("count() by gpus by gpus"), Contains("for the second time"));
  CHECK_THAT(complaint("count() by"), Contains("expected the name of a column"));
  CHECK_THAT(complaint("count() where limit 3"), Contains("the condition is empty"));
  CHECK_THAT(complaint("count() limit none"), Contains("limit wants a number"));
  CHECK_THAT(complaint("count() limit -1"), Contains("limit wants a number"));
  CHECK_THAT(complaint("count() sort gpus"), Contains("expected by after sort"));
  CHECK_THAT(complaint("count() by gpus sort by framework"), Contains("must be shown"));
}

TEST_CASE("analyze answers a query in every format, of selected runs, or exits with 3") {
  test::WrittenStudy study;
  test::DlscaleProgram dlscale;
  study.add("ddp", 1);
  study.add("ddp", 2, {1800, 0.9});
  const std::string folder = study.folder.root().string();
  dlscale.run({"collect", folder, "--no-tables"});
  const std::string query = "median(samples_per_s) by gpus sort by gpus desc";
  const test::Ran csv = dlscale.run({"analyze", folder, "--query", query, "--format", "csv"});
  CHECK(csv.exit_code == 0);
  CHECK_THAT(csv.out, Catch::EndsWith("gpus,n,median_samples_per_s\n2,1,1800\n1,1,1000\n"));
  for (const char* format : {"text", "markdown", "json", "latex"}) {
    CHECK_THAT(dlscale.run({"analyze", folder, "--query", query, "--format", format}).out,
               Contains("1800"));
  }
  CHECK(
      dlscale.run({"analyze", folder, "--query", query, "--where", "gpus == 1"}).out.find("1800") ==
      std::string::npos);
  const test::Ran none = dlscale.run({"analyze", folder, "--query", "count() where gpus > 9"});
  CHECK(none.exit_code == 3);
  CHECK(none.err ==
        "dlscale: nothing to show: no run is as the query's condition asks; 2 of 2 runs used\n");
  const test::Ran inference = dlscale.run({"analyze", folder, "--metric", "inference"});
  CHECK(inference.exit_code == 3);
  CHECK(inference.err ==
        "dlscale: nothing to show: inference needs a completed run with mode = \"inference\", and "
        "there is none; 2 of 2 runs used\n");
  CHECK(dlscale.run({"analyze", folder, "--query", "count() by x"}).exit_code == 2);
  CHECK(dlscale.run({"analyze", folder, "--query", query, "--by", "gpus"}).exit_code == 2);
  CHECK(dlscale.run({"analyze", folder, "--query", " "}).exit_code == 2);
}

}  // namespace dlscale::cli
