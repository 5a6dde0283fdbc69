// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/run_columns.hpp"

#include <catch2/catch.hpp>

#include "tests/workspace/support/shown_runs.hpp"

using namespace dlscale;
using namespace dlscale::workspace;
using runner::JobState;
using test::numbers_of;
using test::RunsInStates;

TEST_CASE("running and failed runs come first if not all runs can be shown") {
  const RunsInStates runs({JobState::Done, JobState::Planned, JobState::Failed, JobState::Queued,
                           JobState::Running, JobState::OutOfMemory});
  CHECK(numbers_of(most_telling(runs.all, 6)) == "123456");
  CHECK(numbers_of(most_telling(runs.all, 4)) == "5364");
  CHECK(numbers_of(worth_a_look(runs.all)) == "356");
}

TEST_CASE("omitted runs are counted by state") {
  const RunsInStates runs({JobState::Done, JobState::Planned, JobState::Done, JobState::Running});
  CHECK(count_others(runs.all, {runs.all[3]}) == "… and 3 more: 1 planned, 2 done");
  CHECK(count_others(runs.all, runs.all).empty());
}

TEST_CASE("runs that are not needed come last, and a short list omits them") {
  const RunsInStates runs(
      {JobState::Done, JobState::NotNeeded, JobState::Running, JobState::NotNeeded});
  CHECK(numbers_of(most_telling(runs.all, 3)) == "312");
  CHECK(numbers_of(worth_a_look(runs.all)) == "3");
}
