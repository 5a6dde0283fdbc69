// SPDX-License-Identifier: Apache-2.0
#include "runner/run_results.hpp"

#include <catch2/catch.hpp>

#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using contract::RunOutcome;

TEST_CASE("a run without launches has no results") {
  test::WrittenPlan written({"a"});
  const auto results = runner::read_run_results(written.folder.run("run-a"));
  CHECK_FALSE(results.completed);
  CHECK(results.launches == 0);
  CHECK_FALSE(results.start.has_value());
}

TEST_CASE("a run is completed when any of its launches came to the end") {
  test::WrittenPlan written({"a"});
  written.write_completed("run-a", 10);
  written.write_launch("run-a", 20, {contract::EpochRecord{}});
  const auto results = runner::read_run_results(written.folder.run("run-a"));
  CHECK(results.completed);
  CHECK(results.launches == 2);
  CHECK(results.epochs == 1);
  CHECK_FALSE(results.stop.has_value());
}

TEST_CASE("a launch that stopped otherwise does not complete its run") {
  test::WrittenPlan written({"a"});
  contract::RunStop stop;
  stop.outcome = RunOutcome::Diverged;
  written.write_launch("run-a", 10, {stop});
  const auto results = runner::read_run_results(written.folder.run("run-a"));
  CHECK_FALSE(results.completed);
  CHECK(results.stop->outcome == RunOutcome::Diverged);
}

TEST_CASE("launches that began later are left out on request") {
  test::WrittenPlan written({"a"});
  written.folder.run("run-a").make_next_launch();  // died before it wrote anything
  written.write_launch("run-a", 10);
  written.write_completed("run-a", 20);
  const auto results = runner::read_run_results(written.folder.run("run-a"), 20);
  CHECK_FALSE(results.completed);
  CHECK(results.launches == 2);
}

TEST_CASE("a results file cut in the middle of a line counts up to there") {
  test::WrittenPlan written({"a"});
  const auto launch = written.write_launch("run-a", 10, {contract::EpochRecord{}});
  const std::string text = base::read_file(launch.results());
  base::write_file_atomically(launch.results(), text + R"({"record":"run_sto)");
  const auto results = runner::read_run_results(written.folder.run("run-a"));
  CHECK(results.epochs == 1);
  CHECK_FALSE(results.stop.has_value());
}

TEST_CASE("last words are the last line that says something") {
  test::TempDir temp;
  const auto said = [&](const std::string& text) {
    base::write_file_atomically(temp / "err", text);
    return runner::last_words(temp / "err");
  };
  CHECK(said("first\n  mpirun noticed a dead rank\r\n-------\n\n") == "mpirun noticed a dead rank");
  CHECK(said("no end of line") == "no end of line");
  CHECK(said("\n---\n") == "");
  CHECK(said(std::string(200000, 'x') + "\nlast\n") == "last");
  CHECK(said(std::string(1000, 'y')).size() == 300);
  const std::string notice = "-----\nThe first process to do so was:\n\n  Exit code:    2\n-----\n";
  CHECK(said("dlscale-train: a.json: gpus: is 3\n" + notice) ==
        "dlscale-train: a.json: gpus: is 3");
  CHECK(said("a line\n" + notice) == "Exit code:    2");
  CHECK(said("dlscale-train: a warning\nslurmstepd: killed\n") == "slurmstepd: killed");
  CHECK(runner::last_words(temp / "missing") == "");
}
