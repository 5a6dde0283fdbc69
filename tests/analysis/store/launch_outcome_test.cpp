// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/launch_outcome.hpp"

#include <catch2/catch.hpp>
#include <cmath>

namespace dlscale::analysis {
namespace {

using contract::RunOutcome;
using Scope = EndRecord::Scope;

EndRecord end(Scope scope, double time, RunOutcome outcome) {
  return {scope,
          "launch.jsonl",
          {.event = "ended", .job = "job", .run_id = "run", .time = time, .outcome = outcome}};
}

LaunchSeen seen(int launch, double started, std::optional<RunOutcome> stop = {}) {
  return {launch, started, stop, ""};
}

}  // namespace

TEST_CASE(
    "the end in the launch log takes precedence over the trainer's, which precedes the script's") {
  const LaunchSeen launch = seen(1, 10, RunOutcome::Completed);
  const EndRecord by_runner = end(Scope::Run, 20.5, RunOutcome::TimedOut);
  const EndRecord by_script = end(Scope::Script, 20.5, RunOutcome::Failed);
  CHECK(decide_ends({launch}, {by_runner, by_script})[0].outcome == "TimedOut");
  CHECK(decide_ends({launch}, {by_script})[0].outcome == "Completed");
  CHECK(decide_ends({seen(1, 10)}, {by_script})[0].outcome == "Failed");
}

TEST_CASE("a launch without any recorded end is unfinished") {
  CHECK(decide_ends({seen(1, 10)}, {})[0].outcome == "Unfinished");
  CHECK(decide_ends({seen(1, std::nan(""))}, {})[0].outcome == "Unfinished");
}

TEST_CASE("a launch without an end is lost if its job completed, and else ends like its job") {
  CHECK(decide_ends({seen(1, 10)}, {end(Scope::Job, 20.5, RunOutcome::Completed)})[0].outcome ==
        "Lost");
  CHECK(decide_ends({seen(1, 10)}, {end(Scope::Job, 20.5, RunOutcome::TimedOut)})[0].outcome ==
        "TimedOut");
}

TEST_CASE("the end of a job does not change a run with a recorded end") {
  const auto ends = decide_ends({seen(1, 10, RunOutcome::Completed)},
                                {end(Scope::Job, 20.5, RunOutcome::Failed)});
  CHECK(ends[0].outcome == "Completed");
  CHECK(ends[0].source == "results.jsonl");
}

TEST_CASE("ends belong to the last launch that started before them") {
  const auto ends =
      decide_ends({seen(1, 10), seen(2, 30)}, {end(Scope::Run, 40.5, RunOutcome::Completed),
                                               end(Scope::Run, 20.5, RunOutcome::Preempted),
                                               end(Scope::Run, 5.5, RunOutcome::Failed)});
  CHECK(ends[0].outcome == "Preempted");
  CHECK(ends[1].outcome == "Completed");
}

TEST_CASE("the launch number decides to which launch without a start time an end belongs") {
  const double unknown = std::nan("");
  EndRecord first = end(Scope::Run, 20.5, RunOutcome::Failed);
  EndRecord second = end(Scope::Run, 40.5, RunOutcome::Completed);
  first.first_launch = 1;
  second.first_launch = 2;
  const auto ends = decide_ends({seen(1, unknown), seen(2, unknown)}, {second, first});
  CHECK(ends[0].outcome == "Failed");
  CHECK(ends[1].outcome == "Completed");
  // Launch 2 recorded its start before the end of the submission that started both launches.
  const auto restarted = decide_ends({seen(1, unknown), seen(2, 15)}, {first});
  CHECK(restarted[0].outcome == "Unfinished");
  CHECK(restarted[1].outcome == "Failed");
}

TEST_CASE("an end that is older than the start of its launch is ignored") {
  EndRecord first = end(Scope::Run, 20.5, RunOutcome::Completed);
  EndRecord queued = end(Scope::Run, 30.5, RunOutcome::Cancelled);
  first.first_launch = 1;
  queued.first_launch = 2;
  const auto ends = decide_ends({seen(1, 10), seen(2, 50)}, {first, queued});
  CHECK(ends[0].outcome == "Completed");
  CHECK(ends[1].outcome == "Unfinished");
}

TEST_CASE("an end of a launch that does not exist belongs to the last launch") {
  EndRecord record = end(Scope::Run, 40.5, RunOutcome::NodeFailed);
  record.first_launch = 3;
  const auto ends = decide_ends({seen(1, std::nan("")), seen(2, std::nan(""))}, {record});
  CHECK(ends[0].outcome == "Unfinished");
  CHECK(ends[1].outcome == "NodeFailed");
}

TEST_CASE("an end in whole seconds may be in the second of the launch start") {
  const auto ends = decide_ends({seen(1, 10.4)}, {end(Scope::Script, 10, RunOutcome::OutOfMemory)});
  CHECK(ends[0].outcome == "OutOfMemory");
}

TEST_CASE("a script's record without an outcome uses its exit code") {
  EndRecord record = end(Scope::Script, 20.5, RunOutcome::Completed);
  record.record.outcome.reset();
  record.record.exit_code = 99;
  CHECK(decide_ends({seen(1, 10)}, {record})[0].outcome == "Preempted");
}

TEST_CASE("a trainer stopped because another rank died has failed as the script recorded") {
  LaunchSeen launch = seen(1, 10, RunOutcome::Cancelled);
  launch.reason = "received SIGTERM";
  EndRecord script{Scope::Script, "logs/job.end", {.event = "ended", .time = 20, .exit_code = 137}};
  const LaunchEnd end = decide_ends({launch}, {script})[0];
  CHECK(end.outcome == "Failed");
  CHECK(end.source == "logs/job.end");
  CHECK(end.reason == "a rank died: exit code 137");
  script.record.reason = "got SIGTERM";
  script.record.outcome = RunOutcome::Cancelled;
  CHECK(decide_ends({launch}, {script})[0].outcome == "Cancelled");
  script.record.reason = "";
  script.record.outcome.reset();
  for (const int stopped : {0, 130, 143}) {
    script.record.exit_code = stopped;
    CHECK(decide_ends({launch}, {script})[0].outcome == "Cancelled");
  }
}

TEST_CASE("a rank that was stopped at the time limit has timed out instead of being cancelled") {
  LaunchSeen launch = seen(1, 10, RunOutcome::Cancelled);
  launch.reason = "received SIGTERM";
  const EndRecord script{Scope::Script,
                         "logs/job.end",
                         {.event = "ended",
                          .time = 20,
                          .outcome = RunOutcome::TimedOut,
                          .exit_code = 143,
                          .reason = "got SIGUSR1"}};
  const LaunchEnd end = decide_ends({launch}, {script})[0];
  CHECK(end.outcome == "TimedOut");
  CHECK(end.source == "logs/job.end");
  CHECK(end.reason == "got SIGUSR1");
}

TEST_CASE("a run without a launch ends like its job, or has not started") {
  CHECK(decide_without_launch({}).outcome == "NotStarted");
  CHECK(decide_without_launch({end(Scope::Run, 1, RunOutcome::Cancelled)}).outcome == "Cancelled");
  CHECK(decide_without_launch({end(Scope::Job, 1, RunOutcome::Completed)}).outcome == "Lost");
}

}  // namespace dlscale::analysis
