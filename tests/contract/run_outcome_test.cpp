// SPDX-License-Identifier: Apache-2.0
#include "contract/run_outcome.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::contract;

TEST_CASE("every outcome has a unique name") {
  for (RunOutcome outcome : all_outcomes())
    CHECK(outcome_from_string(to_string(outcome)) == outcome);
  CHECK(all_outcomes().size() == 9);
  CHECK_FALSE(outcome_from_string("completed"));
}

TEST_CASE("the outcome of stopped ranks comes from the job script or the exit code") {
  CHECK(outcome_of_stopped(RunOutcome::TimedOut, 143) == RunOutcome::TimedOut);
  for (const int stopped : {0, 130, 143}) {
    CHECK(outcome_of_stopped({}, stopped) == RunOutcome::Cancelled);
  }
  CHECK(outcome_of_stopped({}, 137) == RunOutcome::Failed);
  CHECK(outcome_of_stopped({}, 5) == RunOutcome::Diverged);
}

TEST_CASE("exit codes are mapped to outcomes") {
  CHECK(outcome_of_exit(0) == RunOutcome::Completed);
  CHECK(outcome_of_exit(5) == RunOutcome::Diverged);
  CHECK(outcome_of_exit(99) == RunOutcome::Preempted);
  CHECK(outcome_of_exit(1) == RunOutcome::Failed);
  CHECK(outcome_of_exit(137) == RunOutcome::Failed);
}
