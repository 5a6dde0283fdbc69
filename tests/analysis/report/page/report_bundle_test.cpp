// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/report_bundle.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "base/file.hpp"
#include "tests/analysis/support/rows.hpp"
#include "tests/analysis/support/sample_page.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

using Catch::Contains;
using test::frame_of;
using test::run_at;

/// Returns the content of each file below a folder. The key is the name relative to the folder.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[fs::relative(entry.path(), folder).string()] = base::read_file(entry.path());
  }
  return files;
}

bool has(const std::vector<std::string>& list, const std::string& part) {
  return std::any_of(list.begin(), list.end(),
                     [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("a report has tables, figures, the paper and the page, with the same bytes each time") {
  test::TempDir folder;
  const WrittenBundle bundle = write_kit(test::sample_page(), folder / "kit");
  CHECK(bundle.problem.empty());
  CHECK(bundle.tables == 1);
  CHECK(bundle.figures == 2);
  CHECK(bundle.undrawn == 0);
  const auto files = files_in(folder / "kit");
  for (const char* name :
       {"report.html", "paper.tex", "values.tex", "tables/sample.md", "tables/sample.csv",
        "tables/sample.tex", "tables/sample.json", "figures/efficiency.csv",
        "figures/efficiency.svg", "figures/efficiency.pdf", "figures/efficiency.tex",
        "figures/breakdown.tex"}) {
    INFO(name);
    CHECK(files.contains(name));
  }
  write_kit(test::sample_page(), folder / "kit");
  // The additional parentheses keep Catch2 from printing the files.
  CHECK((files_in(folder / "kit") == files));
}

TEST_CASE("without a converter a report lacks only PDF files and gives the reason") {
  test::TempDir folder;
  const WrittenBundle bundle =
      write_kit(test::sample_page(), folder / "kit", {}, "no-such-converter");
  CHECK_THAT(bundle.problem, Contains("not installed"));
  CHECK(bundle.undrawn == 2);
  CHECK(fs::exists(folder / "kit/report.html"));
  CHECK(fs::exists(folder / "kit/figures/efficiency.tex"));
  CHECK(fs::exists(folder / "kit/figures/efficiency.svg"));
  CHECK_FALSE(fs::exists(folder / "kit/figures/efficiency.pdf"));
}

TEST_CASE("writing a report shows its progress") {
  test::TempDir folder;
  std::vector<double> shares;
  write_kit(
      test::sample_page(), folder / "kit",
      [&](const std::string&, double share) { shares.push_back(share); }, "false");
  CHECK(shares == std::vector<double>{0.5, 1});
}

TEST_CASE("a report that cannot be written is an error that names the folder") {
  test::TempDir folder;
  base::write_file_atomically(folder / "file", "");
  CHECK_THROWS_WITH(write_kit(test::sample_page(), folder / "file/kit"),
                    Contains("cannot make folder"));
}

TEST_CASE("the paper includes every table and figure of its report") {
  const std::string text = paper(test::sample_page());
  for (const char* part :
       {"\\input{tables/sample.tex}", "\\input{figures/efficiency.tex}", "\\label{fig:breakdown}",
        "\\item[warning] one run per point", "\\end{document}\n"}) {
    CHECK_THAT(text, Contains(part));
  }
}

TEST_CASE("the page of a study has its facts and warnings") {
  RunRow failed = run_at(8, 1);
  failed.outcome = "OutOfMemory";
  const StudyPage page =
      study_page(frame_of({run_at(1, 100), run_at(2, 230), run_at(4, 380), failed}), {});
  CHECK(page.title == "made-up");
  CHECK(page.facts.front().first == "mode");
  CHECK(has(page.warnings, "1 failed (OutOfMemory 1)"));
  CHECK(has(page.warnings, "the spread is unknown"));
  CHECK(has(page.warnings, "more than 5 % better than ideal"));
  CHECK_FALSE(page.report.tables.empty());
  CHECK_FALSE(page.figures.empty());
}

TEST_CASE("figures of an accuracy that no run reached are left out, with the reason") {
  RunRow run = run_at(1, 1000);
  run.epochs = {{0, 10, 0.5}};
  run.evals = {{0, 0, 1}};
  const StudyPage page = study_page(frame_of({run}), {});
  const auto fact = std::ranges::find(page.facts, "figures left out",
                                      &std::pair<std::string, std::string>::first);
  REQUIRE(fact != page.facts.end());
  CHECK_THAT(fact->second,
             Catch::StartsWith("time-to-accuracy, images-to-accuracy (not every run reached"));
  CHECK(std::ranges::none_of(page.figures, [](const NamedFigure& figure) {
    return figure.id == "time-to-accuracy" || figure.id == "images-to-accuracy";
  }));
}

TEST_CASE("figures with too many series are left out with a warning") {
  std::vector<RunRow> runs;
  for (std::size_t i = 0; i <= kMostSeries; ++i) {
    runs.push_back(run_at(1, 1000, "f" + std::to_string(i)));
  }
  const StudyPage page = study_page(frame_of(runs), {});
  CHECK(has(page.warnings, "no speedup figure: 41 series cannot be distinguished"));
  CHECK(std::none_of(page.figures.begin(), page.figures.end(),
                     [](const NamedFigure& figure) { return figure.id == "speedup"; }));
}

TEST_CASE("a table by epoch that is too long to be read is left out with a warning") {
  RunRow run = run_at(1, 1000);
  const auto is_epochs = [](const Table& table) { return table.id == "epochs"; };
  for (int i = 0; i < static_cast<int>(kMostDetailedRows); ++i) run.epochs.push_back({i, 1, 0.5});
  CHECK(std::ranges::any_of(study_page(frame_of({run}), {}).report.tables, is_epochs));
  run.epochs.push_back({static_cast<int>(kMostDetailedRows), 1, 0.5});
  const StudyPage page = study_page(frame_of({run}), {});
  CHECK(std::ranges::none_of(page.report.tables, is_epochs));
  CHECK(std::ranges::any_of(page.warnings, [](const std::string& warning) {
    return warning.starts_with("table epochs is left out, because it has 501 rows");
  }));
}

TEST_CASE("tables that differ only in punctuation have different names") {
  const StudyPage page =
      study_page(frame_of({run_at(1, 1000, "a_b"), run_at(1, 900, "a-b")}), {}, {"batch_per_gpu"});
  std::vector<std::string> ids;
  for (const Table& table : page.report.tables) ids.push_back(table.id);
  CHECK(std::count(ids.begin(), ids.end(), "efficiency-a-b") == 1);
  CHECK(std::count(ids.begin(), ids.end(), "efficiency-a-b-2") == 1);
}

TEST_CASE("a study without results gives a page without tables and figures") {
  const StudyPage page = study_page(frame_of({}), {});
  CHECK(page.report.tables.empty());
  CHECK(page.figures.empty());
}

}  // namespace dlscale::analysis
