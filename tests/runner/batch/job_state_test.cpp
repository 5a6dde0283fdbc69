// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/job_state.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace dlscale;
using contract::RunOutcome;
using runner::JobState;

TEST_CASE("every job state has a unique name") {
  std::set<std::string> names;
  for (JobState state : runner::all_job_states()) names.insert(to_string(state));
  CHECK(names == std::set<std::string>{"planned", "submitted", "queued", "running", "done",
                                       "not_needed", "failed", "oom", "timeout", "node_fail",
                                       "preempted", "cancelled", "lost"});
}

TEST_CASE("every outcome maps to a state that has ended") {
  for (RunOutcome outcome : contract::all_outcomes()) {
    INFO(contract::to_string(outcome));
    CHECK(runner::has_ended(runner::state_of(outcome)));
  }
  CHECK(runner::state_of(RunOutcome::Completed) == JobState::Done);
  CHECK(runner::state_of(RunOutcome::Diverged) == JobState::Failed);
}

TEST_CASE("a final state of the batch system maps to the outcome of the same name") {
  for (JobState state : runner::all_job_states()) {
    if (const auto outcome = runner::outcome_of(state)) CHECK(runner::state_of(*outcome) == state);
  }
  CHECK(runner::outcome_of(JobState::Done) == std::nullopt);
  CHECK(runner::outcome_of(JobState::Failed) == std::nullopt);
  CHECK(runner::outcome_of(JobState::TimedOut) == RunOutcome::TimedOut);
}

TEST_CASE("done and not needed runs have ended well, failed and preempted runs have not") {
  CHECK(runner::has_ended(JobState::NotNeeded));
  CHECK_FALSE(runner::ended_badly(JobState::NotNeeded));
  CHECK_FALSE(runner::ended_badly(JobState::Done));
  CHECK_FALSE(runner::ended_badly(JobState::Running));
  CHECK(runner::ended_badly(JobState::Failed));
  CHECK(runner::ended_badly(JobState::Preempted));
}

TEST_CASE("a waiting or running job has not ended") {
  CHECK_FALSE(runner::has_ended(JobState::Queued));
  CHECK_FALSE(runner::has_ended(JobState::Running));
}
