// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_end.hpp"

#include <catch2/catch.hpp>

#include "contract/records/launch_record.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobEnd;
using runner::JobState;
using runner::judge_run;

namespace {

JobEnd ended(int exit_code, int earlier_launches = 0) {
  const auto state = exit_code == 0 ? JobState::Done : JobState::Failed;
  return {"a", "t1", earlier_launches, {state, exit_code, 0, ""}};
}

runner::RunEnd judge(const test::WrittenPlan& written, const JobEnd& job) {
  return judge_run(written.folder, written.plan.runs[0], job);
}

void note(const test::WrittenPlan& written, const std::string& words,
          const std::string& event = "ended", const std::string& launch = "t1") {
  base::LineAppender(written.folder.run_notes("run-a"))
      .append(R"({"event":")" + event + R"(","job":"a","launch":")" + launch +
              R"(","run_id":"run-a")" + words + "}");
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
  const auto end = judge(written, ended(0));
  CHECK(end.outcome == RunOutcome::Completed);
  CHECK(end.reason.empty());
}

TEST_CASE("exit code 0 without results is a failure") {
  test::WrittenPlan written({"a"});
  const auto end = judge(written, ended(0));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "the job exited with code 0, but the run wrote no final record");
}

TEST_CASE("results of an earlier launch are ignored") {
  test::WrittenPlan written({"a"});
  written.write_launch("run-a", 50, {stop(RunOutcome::Diverged, "loss is nan")});
  const auto end = judge(written, ended(3, 1));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "exit code 3");
}

TEST_CASE("without a final record the exit code decides") {
  test::WrittenPlan written({"a"});
  written.write_launch("run-a", 110);
  CHECK(judge(written, ended(5)).outcome == RunOutcome::Diverged);
  CHECK(judge(written, ended(99)).outcome == RunOutcome::Preempted);
  const auto end = judge(written, ended(4));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.exit_code == 4);
}

TEST_CASE("the reason comes from the trainer, then from its stderr, then from the job stderr") {
  test::WrittenPlan written({"a"});
  base::write_file_atomically(written.folder.job_err("a"), "mpirun: rank 1 died\n---\n");
  CHECK(judge(written, ended(3)).reason == "mpirun: rank 1 died");
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.err(), "no such data\n");
  auto end = judge(written, ended(3));
  CHECK(end.reason == "no such data");
  CHECK(end.details == launch.err());
  written.write_launch("run-a", 120, {stop(RunOutcome::Failed, "3 of 4 files are missing")});
  end = judge(written, ended(3));
  CHECK(end.reason == "3 of 4 files are missing");
  CHECK(end.details == written.folder.job_err("a"));
}

TEST_CASE("the state of the batch system takes precedence over the exit code") {
  test::WrittenPlan written({"a"});
  JobEnd job = ended(1);
  job.status = {JobState::OutOfMemory, 1, 9, "oom-kill event"};
  const auto end = judge(written, job);
  CHECK(end.outcome == RunOutcome::OutOfMemory);
  CHECK(end.reason == "oom-kill event");
}

TEST_CASE("a job ended on request is cancelled unless its run was already complete") {
  test::WrittenPlan written({"a"});
  JobEnd job = ended(143);
  job.cancelled = true;
  CHECK(judge(written, job).outcome == RunOutcome::Cancelled);
  job.started = false;
  CHECK(judge(written, job).reason == "cancelled before it started");
  job.started = true;
  written.write_launch("run-a", 105, {stop(RunOutcome::Failed, "terminated")});
  const auto end = judge(written, job);
  CHECK(end.outcome == RunOutcome::Cancelled);
  CHECK(end.reason == "cancelled on request");
  written.write_completed("run-a", 110);
  CHECK(judge(written, job).outcome == RunOutcome::Completed);
}

TEST_CASE("the reason for stopped ranks comes from mpirun") {
  test::WrittenPlan written({"a"});
  const auto launch =
      written.write_launch("run-a", 110, {stop(RunOutcome::Cancelled, "received SIGTERM")});
  base::write_file_atomically(launch.err(), "received SIGTERM\n");
  base::write_file_atomically(written.folder.job_err("a"), "mpirun noticed that rank 1 died\n");
  const auto end = judge(written, ended(137));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "mpirun noticed that rank 1 died");
}

TEST_CASE("the launcher output explains ranks that saw another rank leave") {
  const std::string left = "rank 0 has left while others wait for it";
  test::WrittenPlan written({"a"});
  const auto launch = written.write_launch("run-a", 110, {stop(RunOutcome::Failed, left)});
  base::write_file_atomically(launch.err(), left + "\n");
  auto end = judge(written, ended(137));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.details == launch.err());
  base::write_file_atomically(written.folder.job_err("a"), "srun: error: task 0: Out Of Memory\n");
  end = judge(written, ended(137));
  CHECK(end.outcome == RunOutcome::OutOfMemory);
  CHECK(end.details == written.folder.job_err("a"));
  CHECK(end.reason == left);
}

TEST_CASE("a job killed by a signal has failed with exit code 128 plus the signal") {
  test::WrittenPlan written({"a"});
  const JobEnd job{"a", "t1", 0, {JobState::Failed, {}, 9, "killed by signal 9"}};
  const auto end = judge(written, job);
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.exit_code == 137);
  CHECK(end.reason == "killed by signal 9");
}

TEST_CASE("the script log explains a lost job unless the job started again") {
  const test::WrittenPlan written({"a"});
  const JobEnd lost{"a", "t1", 0, {JobState::Lost, {}, 0, ""}};
  CHECK(judge(written, lost).outcome == RunOutcome::Lost);
  note(written, R"(,"exit_code":5)", "ended", "t0");  // record of an earlier submission
  CHECK(judge(written, lost).outcome == RunOutcome::Lost);
  note(written, R"(,"exit_code":5)");
  CHECK(judge(written, lost).outcome == RunOutcome::Diverged);
  note(written, "", "started");
  CHECK(judge(written, lost).outcome == RunOutcome::Lost);
}

TEST_CASE("an external run is completed if its program exits with code 0") {
  test::WrittenPlan written({"a"});
  CHECK(judge(written, ended(0)).outcome == RunOutcome::Failed);
  written.plan.runs[0].log_format = "timm";
  CHECK(judge(written, ended(0)).outcome == RunOutcome::Completed);
  CHECK(judge(written, ended(1)).outcome == RunOutcome::Failed);
  note(written, R"(,"exit_code":0)");
  CHECK(judge(written, ended(1)).outcome == RunOutcome::Completed);
}

TEST_CASE("a program with output but without records is external") {
  test::WrittenPlan written({"a"});
  const auto launch = written.folder.run("run-a").make_next_launch();
  CHECK_FALSE(runner::is_external(written.plan.runs[0], written.folder));
  base::write_file_atomically(launch.out(), "epoch 1\n");
  CHECK(runner::is_external(written.plan.runs[0], written.folder));
  CHECK(judge(written, ended(0)).outcome == RunOutcome::Completed);
}

TEST_CASE("a program that writes records without a final record is external in an external plan") {
  test::WrittenPlan written({"a"});
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.out(), "epoch 1\n");
  CHECK(judge(written, ended(0)).outcome == RunOutcome::Failed);  // dlscale-train did not complete
  base::make_directories(written.folder.software());
  base::write_file_atomically(written.folder.describe_script(), "true\n");
  CHECK(judge(written, ended(0)).outcome == RunOutcome::Completed);
  CHECK(judge(written, ended(1)).outcome == RunOutcome::Failed);
}

TEST_CASE("each run of a shared job is judged by its script log") {
  const test::WrittenPlan written({"a"});
  JobEnd job = ended(7);
  job.shared = true;
  note(written, R"(,"exit_code":3)");
  CHECK(judge(written, job).exit_code == 3);
  job.status = {JobState::TimedOut, {}, 0, "time limit"};
  CHECK(judge(written, job).outcome == RunOutcome::Failed);  // the run ended before the time limit
  note(written, R"(,"exit_code":143,"reason":"got SIGTERM","outcome":"Cancelled")");
  CHECK(judge(written, job).outcome == RunOutcome::TimedOut);
}

TEST_CASE("the batch system explains a signal as a time limit or a cancellation") {
  const test::WrittenPlan written({"a"});
  note(written, R"(,"exit_code":143,"reason":"got SIGTERM","outcome":"Cancelled")");
  JobEnd job = ended(143);
  CHECK(judge(written, job).outcome == RunOutcome::Cancelled);
  job.status = {JobState::TimedOut, 143, 0, "time limit"};
  CHECK(judge(written, job).outcome == RunOutcome::TimedOut);
  job.status = {JobState::Cancelled, {}, 0, "by user 1000"};
  CHECK(judge(written, job).reason == "by user 1000");
}

TEST_CASE("the reason for a run of a shared job comes from the file of the run") {
  const test::WrittenPlan written({"a"});
  base::write_file_atomically(written.folder.job_err("a"), "of the whole job\n");
  base::write_file_atomically(written.folder.run_err("run-a"), "CUDA out of memory.\n");
  const auto end = judge(written, ended(1));
  CHECK(end.reason == "CUDA out of memory.");
  CHECK(end.details == written.folder.run_err("run-a"));
  CHECK(end.outcome == RunOutcome::OutOfMemory);
}

TEST_CASE("exit code 99 marks a run that can be resumed") {
  const test::WrittenPlan written({"a"});
  note(written, R"(,"exit_code":99,"reason":"got SIGUSR1")");
  JobEnd job = ended(99);
  CHECK(judge(written, job).outcome == RunOutcome::Preempted);
  job.status.state = JobState::TimedOut;
  CHECK(judge(written, job).outcome == RunOutcome::Preempted);
}

TEST_CASE("the error of an external program is found before later output of srun") {
  test::WrittenPlan written({"a"});
  written.plan.runs[0].log_format = "timm";
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.err(),
                              "torch.OutOfMemoryError: CUDA out of memory.\n"
                              "srun: error: node1: task 1: Exited with exit code 1\n"
                              "srun: Force Terminated StepId=1.0\n");
  const auto end = judge(written, ended(1));
  CHECK(end.outcome == RunOutcome::OutOfMemory);
  CHECK(end.reason == "torch.OutOfMemoryError: CUDA out of memory.");
  CHECK(end.details == launch.err());
}

TEST_CASE("errors on stdout of an external program count, and progress lines do not") {
  test::WrittenPlan written({"a"});
  written.plan.runs[0].log_format = "timm";
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.out(), "Train: 0 [ 50/1251]\n");
  CHECK(judge(written, ended(1)).reason == "exit code 1; last output: Train: 0 [ 50/1251]");
  base::write_file_atomically(launch.err(),
                              "srun: error: node1: task 1: Exited with exit code 1\n");
  CHECK(judge(written, ended(1)).details == launch.err());
  base::write_file_atomically(launch.out(), "Train: 0 [ 50/1251]\nKeyError: 'lr'\n");
  const auto end = judge(written, ended(1));
  CHECK(end.reason == "KeyError: 'lr'");
  CHECK(end.details == launch.out());
}

TEST_CASE("output of an earlier launch in the same file is ignored") {
  const test::WrittenPlan written({"a"});
  const std::string before = "slurmstepd: error: Detected 1 oom_kill event in StepId=1.0.\n";
  const std::string now = "srun: error: node1: task 1: Exited with exit code 1\n";
  base::write_file_atomically(written.folder.run_err("run-a"), before + now);
  note(written, ",\"stderr_bytes\":" + std::to_string(before.size()), "started");
  note(written, R"(,"exit_code":1)");
  const auto end = judge(written, ended(1));
  CHECK(end.outcome == RunOutcome::Failed);
  CHECK(end.reason == "srun: error: node1: task 1: Exited with exit code 1");
}

TEST_CASE("without accounting and script log the job output explains the end of a run") {
  const test::WrittenPlan written({"a"});
  const JobEnd lost{"a", "t1", 0, {JobState::Lost, {}, 0, ""}};
  base::write_file_atomically(written.folder.job_err("a"),
                              "slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T01:00:00 "
                              "DUE TO TIME LIMIT ***\n");
  CHECK(judge(written, lost).outcome == RunOutcome::TimedOut);
  base::write_file_atomically(written.folder.job_err("a"), "epoch 1\n");
  CHECK(judge(written, lost).outcome == RunOutcome::Lost);
}

TEST_CASE("the state of the batch system takes precedence over output files") {
  const test::WrittenPlan written({"a"});
  base::write_file_atomically(written.folder.job_err("a"), "CUDA out of memory\n");
  JobEnd job = ended(1);
  job.status = {JobState::NodeFailed, 1, 0, "node n3 is down"};
  const auto end = judge(written, job);
  CHECK(end.outcome == RunOutcome::NodeFailed);
  CHECK(end.reason == "node n3 is down");
}

TEST_CASE("the exit codes of dlscale-train have no meaning for external programs") {
  test::WrittenPlan written({"a"});
  written.plan.runs[0].log_format = "timm";
  for (const int code : {2, 5}) {
    const auto end = judge(written, ended(code));
    CHECK(end.outcome == RunOutcome::Failed);
    CHECK(end.exit_code == code);
    CHECK(end.reason == "exit code " + std::to_string(code));
  }
  note(written, R"(,"exit_code":99)");
  CHECK(judge(written, ended(1)).outcome == RunOutcome::Failed);
  CHECK(judge(written, ended(1)).reason == "exit code 99");
  note(written, R"(,"exit_code":99,"reason":"got SIGTERM","outcome":"Cancelled")");
  CHECK(judge(written, ended(1)).outcome == RunOutcome::Cancelled);
  note(written, R"(,"exit_code":99,"reason":"got SIGUSR1")");
  CHECK(judge(written, ended(99)).outcome == RunOutcome::Preempted);
}

TEST_CASE("the reason for a missing module names the Python of the job and environment_setup") {
  test::WrittenPlan written({"a"});
  written.plan.runs[0].log_format = "timm";
  const std::string advice =
      "; environment_setup under [trainer] prepares the environment of jobs "
      "(docs/your-script.md#environment)";
  const auto launch = written.write_launch("run-a", 110);
  base::write_file_atomically(launch.err(),
                              "Traceback (most recent call last):\n  File \"train.py\", line 1\n"
                              "ModuleNotFoundError: No module named 'torch'\n");
  CHECK(judge(written, ended(1)).reason == "ModuleNotFoundError: No module named 'torch'" + advice);
  base::make_directories(written.folder.software());
  base::write_file_atomically(written.folder.software_record("one"),
                              R"({"python_path":"/usr/bin/python3"})");
  note(written, "", "started");
  note(written, R"(,"software":"one")", "described");
  base::write_file_atomically(launch.err(), "/usr/bin/python3: No module named torch\n");
  CHECK(judge(written, ended(1)).reason ==
        "/usr/bin/python3: No module named torch (Python of the job: /usr/bin/python3)" + advice);
}
