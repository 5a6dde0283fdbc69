// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_results.hpp"

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

TEST_CASE("a run is completed if any of its launches completed") {
  test::WrittenPlan written({"a"});
  written.write_completed("run-a", 10);
  written.write_launch("run-a", 20, {contract::EpochRecord{}});
  const auto results = runner::read_run_results(written.folder.run("run-a"));
  CHECK(results.completed);
  CHECK(results.launches == 2);
  CHECK(results.epochs == 1);
  CHECK_FALSE(results.stop.has_value());
}

TEST_CASE("a launch with another outcome does not complete its run") {
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
  written.folder.run("run-a").make_next_launch();  // launch without any results
  written.write_launch("run-a", 10);
  written.write_completed("run-a", 20);
  const auto results = runner::read_run_results(written.folder.run("run-a"), 20);
  CHECK_FALSE(results.completed);
  CHECK(results.launches == 2);
}

TEST_CASE("a results file with an incomplete last line is read up to that line") {
  test::WrittenPlan written({"a"});
  const auto launch = written.write_launch("run-a", 10, {contract::EpochRecord{}});
  const std::string text = base::read_file(launch.results());
  base::write_file_atomically(launch.results(), text + R"({"record":"run_sto)");
  const auto results = runner::read_run_results(written.folder.run("run-a"));
  CHECK(results.epochs == 1);
  CHECK_FALSE(results.stop.has_value());
}
