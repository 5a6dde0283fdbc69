// SPDX-License-Identifier: Apache-2.0
#include "runner/run_end.hpp"

#include <catch2/catch.hpp>

#include "contract/launch_record.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobEnd;
using runner::JobState;
using runner::judge_run;

namespace {

JobEnd ended(int exit_code) {
  const auto state = exit_code == 0 ? JobState::Done : JobState::Failed;
  return {"a", {state, exit_code, 0, ""}, false, true, 100};
}

contract::RunStop stop(RunOutcome outcome, const std::string& reason) {
  contract::RunStop record;
  record.outcome = outcome;
  record.reason = reason;
  return record;
}

}  // namespace

TEST_CASE("a run with a final record of its launch is completed") {
  test::WrittenPlan written({"a"});
  written.write_completed("run-a", 110);
  const auto end = judge_run(written.folder, "run-a", 0, ended(0));
  CHECK(end.outcome == RunOutcome::Completed);
  CHECK(end.reason.empty());
}

TEST_CASE("a good exit without results is a failure") {
  test::WrittenPlan written({"a"});
  const auto end = judge_run(written.folder, "run-a", 0, ended(0));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "the job ended well, but the run left no final record");
}

TEST_CASE("results of an earlier launch say nothing about this one") {
  test::WrittenPlan written({"a"});
  written.write_launch("run-a", 50, {stop(RunOutcome::Diverged, "loss is nan")});
  const auto end = judge_run(written.folder, "run-a", 1, ended(3));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "exit code 3");
}

TEST_CASE("without a final record the exit code decides") {
  test::WrittenPlan written({"a"});
  written.write_launch("run-a", 110);
  CHECK(judge_run(written.folder, "run-a", 0, ended(5)).outcome == RunOutcome::Diverged);
  CHECK(judge_run(written.folder, "run-a", 0, ended(99)).outcome == RunOutcome::Preempted);
  const auto end = judge_run(written.folder, "run-a", 0, ended(4));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.exit_code == 4);
}

TEST_CASE("the trainer's own reason comes first, then its stderr, then the job's") {
  test::WrittenPlan written({"a"});
  base::write_file_atomically(written.folder.job_err("a"), "mpirun: rank 1 died\n---\n");
  CHECK(judge_run(written.folder, "run-a", 0, ended(3)).reason == "mpirun: rank 1 died");
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.err(), "no such data\n");
  auto end = judge_run(written.folder, "run-a", 0, ended(3));
  CHECK(end.reason == "no such data");
  CHECK(end.details == launch.err());
  written.write_launch("run-a", 120, {stop(RunOutcome::Failed, "3 of 4 files are missing")});
  end = judge_run(written.folder, "run-a", 0, ended(3));
  CHECK(end.reason == "3 of 4 files are missing");
  CHECK(end.details == written.folder.job_err("a"));
}

TEST_CASE("the batch system's verdict comes before the exit code") {
  test::WrittenPlan written({"a"});
  JobEnd job = ended(1);
  job.status = {JobState::OutOfMemory, 1, 9, "oom-kill event"};
  const auto end = judge_run(written.folder, "run-a", 0, job);
  CHECK(end.outcome == RunOutcome::OutOfMemory);
  CHECK(end.reason == "oom-kill event");
}

TEST_CASE("a job ended on request is cancelled, unless its run was complete by then") {
  test::WrittenPlan written({"a"});
  JobEnd job = ended(143);
  job.cancelled = true;
  CHECK(judge_run(written.folder, "run-a", 0, job).outcome == RunOutcome::Cancelled);
  job.started = false;
  CHECK(judge_run(written.folder, "run-a", 0, job).reason == "cancelled before it started");
  job.started = true;
  written.write_launch("run-a", 105, {stop(RunOutcome::Failed, "terminated")});
  const auto end = judge_run(written.folder, "run-a", 0, job);
  CHECK(end.outcome == RunOutcome::Cancelled);
  CHECK(end.reason == "cancelled on request");
  written.write_completed("run-a", 110);
  CHECK(judge_run(written.folder, "run-a", 0, job).outcome == RunOutcome::Completed);
}

TEST_CASE("ranks that were told to stop do not explain why; mpirun does") {
  test::WrittenPlan written({"a"});
  const auto launch =
      written.write_launch("run-a", 110, {stop(RunOutcome::Cancelled, "received SIGTERM")});
  base::write_file_atomically(launch.err(), "received SIGTERM\n");
  base::write_file_atomically(written.folder.job_err("a"), "mpirun noticed that rank 1 died\n");
  const auto end = judge_run(written.folder, "run-a", 0, ended(137));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "mpirun noticed that rank 1 died");
}

TEST_CASE("a job killed by a signal has failed with the shell's exit code for it") {
  test::WrittenPlan written({"a"});
  JobEnd job{"a", {JobState::Failed, {}, 9, "killed by signal 9"}, false, true, 100};
  const auto end = judge_run(written.folder, "run-a", 0, job);
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.exit_code == 137);
  CHECK(end.reason == "killed by signal 9");
}

TEST_CASE("the script's own note tells how a lost job ended") {
  test::WrittenPlan written({"a"});
  const JobEnd lost{"a", {JobState::Lost, {}, 0, ""}, false, true, 100};
  CHECK(judge_run(written.folder, "run-a", 0, lost).outcome == RunOutcome::Lost);
  contract::LaunchRecord note;
  note.event = "ended";
  note.job = "a";
  note.exit_code = 5;
  note.time = 90;  // an earlier attempt's
  base::write_file_atomically(written.folder.job_end("a"), contract::to_json_line(note) + "\n");
  CHECK(judge_run(written.folder, "run-a", 0, lost).outcome == RunOutcome::Lost);
  note.time = 130;
  base::write_file_atomically(written.folder.job_end("a"), contract::to_json_line(note) + "\n");
  CHECK(judge_run(written.folder, "run-a", 0, lost).outcome == RunOutcome::Diverged);
}
