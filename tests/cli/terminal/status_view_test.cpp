// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/status_view.hpp"

#include <catch2/catch.hpp>

#include "base/table_printer.hpp"
#include "tests/workspace/support/shown_runs.hpp"

using namespace dlscale;
using namespace dlscale::cli;
using namespace dlscale::workspace;
using runner::JobState;
using test::RunsInStates;

TEST_CASE("runs that are not needed are excluded from the total") {
  const RunsInStates runs(
      {JobState::Done, JobState::NotNeeded, JobState::Running, JobState::NotNeeded});
  CHECK_THAT(head_lines({"s", 0, 0}, runs.all, {})[1], Catch::Contains("1/2 runs"));
}

TEST_CASE("states are coloured in place, and only on terminals") {
  const RunsInStates runs({JobState::Failed, JobState::Done});
  const auto plain = table_lines(runs.all, {}, false);
  CHECK(plain[2].substr(0, 12) == "run1  failed");
  const auto painted = table_lines(runs.all, {true, true, 80, 24}, false);
  CHECK(painted[2].substr(0, 21) == "run1  \x1b[31mfailed\x1b[0m");
  CHECK(painted[0] == plain[0]);
}

TEST_CASE("a screen has at most as many lines as its terminal, and its lines are narrower") {
  RunsInStates runs(std::vector<JobState>(100, JobState::Running));
  for (ShownRun& shown : runs.all) shown.progress.reason = std::string(200, 'x');
  const Terminal terminal{true, false, 60, 12};
  const auto lines = screen_lines({"study", 1e9, 1e9 - 60}, runs.all, terminal);
  CHECK(lines.size() == 12);
  for (const std::string& line : lines) CHECK(base::display_width(line) < 60);
  CHECK(lines.back() == "… and 95 more: 95 running");
  const auto tiny = screen_lines({"study", 1e9, 0}, runs.all, {true, false, 10, 3});
  CHECK(tiny.size() == 3);
}

TEST_CASE("the head of a live table shows completed runs, their share and the expected end") {
  RunsInStates runs({JobState::Done, JobState::Running, JobState::Failed, JobState::Planned});
  runs.all[1].progress.share = 0.5;
  runs.all[1].progress.elapsed_s = 30;
  const auto lines = head_lines({"study on site", 1e9, 1e9 - 60}, runs.all, {true, false, 120, 24});
  CHECK(lines[0].substr(0, 15) == "study on site, ");
  CHECK(lines[1].substr(0, 54) == "[############--------] 2/4 runs, 1 failed, 1:00, about");
  CHECK(lines[1].find(" 1:30 left: ends about ") != std::string::npos);
  CHECK(lines[2] == "4 runs: 1 planned, 1 running, 1 done, 1 failed");
}
