// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/live_page.hpp"

#include <catch2/catch.hpp>

#include "tests/analysis/support/sample_page.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;

LivePage sample_live_page() {
  LivePage page{.study = test::sample_page(), .time = "2026-01-02 03:04:05 UTC"};
  page.share_done = 0.256;
  page.progress = {"1 of 4 runs ended.", "Expected end: 2026-01-02 04:00:00 UTC, in 55:55."};
  page.states = {{"running", 2, StateCount::Kind::Running}, {"done", 1, StateCount::Kind::Good}};
  page.runs = {.id = "runs", .title = "Runs"};
  page.runs.columns = {{.id = "run", .title = "run"}, {.id = "reason", .title = "reason"}};
  page.runs.rows = {{std::string("a-g1"), std::string("<b>out & of memory</b>")}};
  page.refresh_s = 30;
  return page;
}

}  // namespace

TEST_CASE("a live page shows progress, states, results with intervals and runs") {
  const std::string text = live_page(sample_live_page());
  CHECK_THAT(text, Contains("<title>25 % of made-up</title>") &&
                       Contains("State at 2026-01-02 03:04:05 UTC.") &&
                       Contains("<progress max=\"1\" value=\"0.2560\""));
  CHECK_THAT(text, Contains("25 % of the work has ended. 1 of 4 runs ended. Expected end: ") &&
                       Contains("<li class=\"running\">2 running</li>") &&
                       Contains("<li class=\"green\">1 done</li>"));
  CHECK_THAT(text, Contains("[0.90, 1.00]") && Contains("id=\"figure-efficiency\"") &&
                       Contains("<h2 id=\"conditions\">") && Contains(">a-g1</th>"));
}

TEST_CASE("a live page loads itself again until the study has ended") {
  LivePage page = sample_live_page();
  CHECK_THAT(live_page(page), Contains("<meta http-equiv=\"refresh\" content=\"30\">") &&
                                  Contains("loads itself again every 30 s") &&
                                  Contains("They can change."));
  page.refresh_s = 0;
  CHECK_THAT(live_page(page), !Contains("http-equiv=\"refresh\"") &&
                                  Contains("All runs have ended.") &&
                                  !Contains("They can change."));
}

TEST_CASE("a live page has no script, no buttons and no markup from texts") {
  LivePage page = sample_live_page();
  page.study.title = "<script>alert(1)</script>";
  page.warnings = {"<img src=x>"};
  const std::string text = live_page(page);
  CHECK_THAT(text, !Contains("<script") && !Contains("<button") && !Contains("<img"));
  CHECK_THAT(text, Contains("&lt;b&gt;out &amp; of memory&lt;/b&gt;") &&
                       Contains("<li>&lt;img src=x&gt;</li>"));
  CHECK_THAT(text, !Contains("http://") && !Contains("https://"));
}

TEST_CASE("without results a live page states the reason in their place") {
  LivePage page = sample_live_page();
  page.no_results = "No run has ended yet.";
  CHECK_THAT(live_page(page), Contains("No run has ended yet.") && !Contains("figure-efficiency") &&
                                  !Contains("[0.90, 1.00]"));
}

TEST_CASE("only live pages are recognised as live pages") {
  CHECK(is_live_page(live_page(sample_live_page()).substr(0, 1000)));
  CHECK_FALSE(is_live_page("<!DOCTYPE html><title>my home page</title>"));
  CHECK_FALSE(is_live_page(""));
}

}  // namespace dlscale::analysis
