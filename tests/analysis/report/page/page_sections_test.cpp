// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/page_sections.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "analysis/report/figures/figures.hpp"
#include "analysis/report/tables/metrics.hpp"
#include "tests/analysis/support/sample_page.hpp"

namespace dlscale::analysis {

TEST_CASE("every metric and every kind of figure has a section") {
  for (const Metric& metric : metrics()) {
    INFO(metric.name);
    CHECK(section_of(metric.name) != "comparisons");
    CHECK(section_of(std::string(metric.name) + "-step") == section_of(metric.name));
  }
  for (const FigureKind& kind : figure_kinds()) {
    INFO(kind.name);
    CHECK(section_of(kind.name) != "comparisons");
  }
  CHECK(section_of("published-juwels") == "comparisons");
  CHECK(section_of("accuracy-vs-batch") == "learning");
}

TEST_CASE("the first screen has a figure of efficiency and one of accuracy, which do not repeat") {
  StudyPage page = test::sample_page();
  page.figures = {{"breakdown", test::sample_bars()},
                  {"accuracy-vs-batch", test::sample_figure()},
                  {"speedup", test::sample_figure()},
                  {"efficiency", test::sample_figure()},
                  {"time-to-accuracy", test::sample_figure()}};
  const std::vector<const NamedFigure*> first = first_figures(page);
  REQUIRE(first.size() == 2);
  CHECK(first[0]->id == "efficiency");
  CHECK(first[1]->id == "time-to-accuracy");
  std::size_t others = 0;
  for (const PageSection& section : page_sections(page)) others += section.figures.size();
  CHECK(others == 3);
  page.figures = {{"breakdown", test::sample_bars()}};
  CHECK(first_figures(page).size() == 1);
  page.figures.clear();
  CHECK(first_figures(page).empty());
}

TEST_CASE("notes of most tables and facts are stated once, and the other notes at their table") {
  StudyPage page = test::sample_page();
  const Table& sample = page.report.tables.front();
  page.report.tables = {sample, sample, sample};
  for (Table& table : page.report.tables) {
    table.notes = {"weak scaling", "baseline: 1 GPU", "warning: one run per point", "common"};
  }
  page.report.tables[0].notes.push_back("own");
  const std::vector<std::string> common = common_notes(page);
  CHECK(common == std::vector<std::string>{"common"});
  CHECK(own_notes(page, common, page.report.tables[0]) == std::vector<std::string>{"own"});
  CHECK(own_notes(page, common, page.report.tables[1]).empty());
  page.report.tables.resize(1);
  CHECK(common_notes(page).empty());
}

}  // namespace dlscale::analysis
