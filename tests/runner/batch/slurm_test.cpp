// SPDX-License-Identifier: Apache-2.0
// Tests of the commands that the SLURM adaptor runs and of how it reads their output.
#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "tests/runner/fake_command_runner.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using runner::Answer;
using runner::ExitStatus;
using runner::Job;
using runner::JobState;

namespace {

using SlurmWords = std::vector<std::string>;

/// SLURM adaptor on fake programs whose output the test sets by program name.
struct Slurm {
  Slurm() {
    commands.answer = [this](const runner::Command& command) {
      return answers[command.arguments[0]];
    };
    for (const char* name : {"sbatch", "squeue", "sacct", "scancel", "scontrol"}) says(name, "");
  }
  void says(const std::string& program, const std::string& out) {
    answers[program] = {ExitStatus{}, out, "", 0};
  }
  void fails(const std::string& program, const std::string& err) {
    answers[program] = {ExitStatus{1, 0}, "", err, 0};
  }
  SlurmWords words(std::size_t number) const { return commands.ran.at(number).arguments; }
  Job job() const {
    base::write_file_atomically(temp / "a.sh", "#!/bin/bash\n#SBATCH --dependency=singleton\n");
    Job job;
    job.name = "a";
    job.launch = "tok";
    job.script = temp / "a.sh";
    job.folder = temp.path();
    return job;
  }

  test::TempDir temp;
  std::map<std::string, Answer> answers;
  test::FakeCommandRunner commands;
  test::FakeClock clock;
  std::unique_ptr<runner::JobScheduler> scheduler =
      base::find(runner::job_scheduler_table(), "job scheduler", "slurm")
          .make({commands, clock, 4, "alice"});
};

}  // namespace

TEST_CASE("a job is submitted with sbatch, its token and no unneeded options") {
  Slurm slurm;
  slurm.says("sbatch", "12\n");
  Job job = slurm.job();
  job.keep_open = {7};
  const auto submitted = slurm.scheduler->submit(job);
  CHECK(submitted.id == "12");
  CHECK(submitted.tasks.empty());
  CHECK(slurm.words(0) == SlurmWords{"sbatch", "--parsable", "--comment=tok", job.script, "tok"});
  CHECK(slurm.commands.ran[0].folder == slurm.temp.path());
  CHECK(slurm.commands.ran[0].environment.empty());  // the job would inherit additional variables
  CHECK(slurm.commands.ran[0].keep_open == std::vector<int>{7});
}

TEST_CASE("job settings are passed to sbatch as options") {
  Slurm slurm;
  slurm.says("sbatch", "12\n");
  Job job = slurm.job();
  job.tasks = {4, 2, 3};
  job.throttle = 2;
  job.after = {"10", "11"};
  job.avoid = {"n1", "n2"};
  const auto submitted = slurm.scheduler->submit(job);
  CHECK(submitted.tasks == SlurmWords{"12_4", "12_2", "12_3"});
  CHECK(slurm.words(0) == SlurmWords{"sbatch", "--parsable", "--comment=tok", "--array=2-4%2",
                                     "--dependency=singleton,afterany:10:11", "--exclude=n1,n2",
                                     job.script, "tok"});
}

TEST_CASE("a job rejected by SLURM is distinguished from an unreachable SLURM") {
  Slurm slurm;
  slurm.fails("sbatch", "sbatch: error: Invalid partition name specified\n");
  CHECK_THROWS_WITH(slurm.scheduler->submit(slurm.job()),
                    "job a was rejected: sbatch: error: Invalid partition name specified");
  slurm.fails("sbatch", "sbatch: error: Unable to contact slurm controller (connect failure)\n");
  CHECK_THROWS_AS(slurm.scheduler->submit(slurm.job()), runner::SchedulerUnreachable);
  slurm.answers["sbatch"] = {std::nullopt, "", "", 5};
  CHECK_THROWS_WITH(slurm.scheduler->submit(slurm.job()), "sbatch has not answered for 60 s");
  slurm.answers["sbatch"] = {ExitStatus{0, 9}, "", "", 5};
  CHECK_THROWS_WITH(slurm.scheduler->submit(slurm.job()), "sbatch was killed by signal 9");
}

TEST_CASE("the reason of a rejection leaves out the output of plugins") {
  Slurm slurm;
  slurm.fails("sbatch",
              "sbatch: [I] The budget has 1234 node-hours left\nsbatch: lua: partition main\n"
              "sbatch: error: Batch job submission failed: Invalid account\n");
  CHECK_THROWS_WITH(
      slurm.scheduler->submit(slurm.job()),
      "job a was rejected: sbatch: error: Batch job submission failed: Invalid account");
  slurm.answers["sbatch"] = {ExitStatus{1, 0}, "--> FAILED: no such project\n", "", 0};
  CHECK_THROWS_WITH(slurm.scheduler->submit(slurm.job()),
                    "job a was rejected: --> FAILED: no such project");
  slurm.fails("sbatch", "");
  CHECK_THROWS_WITH(slurm.scheduler->submit(slurm.job()),
                    "job a was rejected: SLURM gave no reason");
}

TEST_CASE("a job above the limit waits for other jobs of the user and is otherwise rejected") {
  Slurm slurm;
  slurm.fails("sbatch",
              "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission "
              "failed: Job violates accounting/QOS policy (job submit limit, user's size and/or "
              "time limits)\n");
  slurm.says("squeue", "1|PENDING|0|0|Priority|5|6||1|N/A|x|\n");
  CHECK_THROWS_AS(slurm.scheduler->submit(slurm.job()), runner::SubmitLimitReached);
  slurm.says("squeue", "1|COMPLETED|0|0|None|5|6|n1|1|N/A|x|\n");
  try {
    slurm.scheduler->submit(slurm.job());
    FAIL("it was taken");
  } catch (const runner::SubmitLimitReached&) {
    FAIL("there is nothing to wait for");
  } catch (const base::RunError& refusal) {
    CHECK_THAT(
        refusal.what(),
        Catch::Contains("was rejected: sbatch: error: QOSMaxSubmitJobPerUserLimit; Batch job "
                        "submission failed: Job violates accounting/QOS policy"));
  }
  CHECK(slurm.words(slurm.commands.ran.size() - 1)[0] == "sbatch");  // second attempt to submit
  Job array = slurm.job();
  array.tasks = {0, 1};  // the limit may leave room for one of the two tasks
  CHECK_THROWS_AS(slurm.scheduler->submit(array), runner::SubmitLimitReached);
}

TEST_CASE("one squeue call returns many jobs, and one sacct call those gone from the queue") {
  Slurm slurm;
  slurm.says("squeue", "1|RUNNING|0|0|None|5|6|n1|1|N/A|x|\n");
  slurm.says("sacct", "2|FAILED|3:0|0:0|5|6|n1\n9_4|COMPLETED|0:0|0:0|5|6|n1\n");
  const auto answers = slurm.scheduler->status({"1", "2", "9_4", "3"});
  CHECK(answers[0].state == JobState::Running);
  CHECK(answers[1].exit_code == 3);
  CHECK(answers[2].state == JobState::Done);
  CHECK(answers[3].state == JobState::Lost);
  REQUIRE(slurm.commands.ran.size() == 2);
  CHECK(slurm.words(0)[4] == "-u");
  CHECK(slurm.words(0)[5] == "alice");
  CHECK(slurm.words(1).back() == "--jobs=2,3,9");
  slurm.scheduler->status({"1"});
  CHECK(slurm.commands.ran.size() == 3);
}

TEST_CASE("without accounting a forgotten job is lost and its usage is unknown") {
  Slurm slurm;
  slurm.fails("sacct", "Slurm accounting storage is disabled\n");
  CHECK(slurm.scheduler->status({"2"})[0].state == JobState::Lost);
  CHECK_FALSE(slurm.scheduler->usage({"2"})[0].elapsed_s.has_value());
  slurm.fails("squeue", "slurm_load_jobs error: anything\n");
  CHECK_THROWS_WITH(slurm.scheduler->status({"2"}), "squeue: slurm_load_jobs error: anything");
}

TEST_CASE("the first cancellation lets a job end, and the second one kills it") {
  Slurm slurm;
  slurm.scheduler->cancel({"1", "2_3"});
  slurm.scheduler->cancel({"1", "4"});
  CHECK(slurm.words(0) == SlurmWords{"scancel", "1", "2_3"});
  CHECK(slurm.words(1) == SlurmWords{"scancel", "4"});
  CHECK(slurm.words(2) == SlurmWords{"scancel", "--full", "--signal=KILL", "1"});
  slurm.scheduler->cancel({});
  CHECK(slurm.commands.ran.size() == 3);
}

TEST_CASE("SLURM commands apply to the given jobs, and a failure is reported") {
  Slurm slurm;
  slurm.scheduler->hold({"1", "2"});
  slurm.scheduler->release({"1"});
  slurm.scheduler->signal({"1"}, 10);
  CHECK(slurm.words(0) == SlurmWords{"scontrol", "hold", "1", "2"});
  CHECK(slurm.words(1) == SlurmWords{"scontrol", "release", "1"});
  CHECK(slurm.words(2) == SlurmWords{"scancel", "--batch", "--signal=10", "1"});
  slurm.fails("scontrol", "Access/permission denied for job 1\n");
  CHECK_THROWS_WITH(slurm.scheduler->hold({"1"}), "Access/permission denied for job 1");
}

TEST_CASE("a submission is searched in the queue and then in the accounting") {
  Slurm slurm;
  slurm.says("squeue", "5_0|RUNNING|0|0|None|5|6|n1|5|0|tok|\n");
  Job job = slurm.job();
  job.tasks = {0, 1};
  CHECK(slurm.scheduler->find(job).value().tasks == SlurmWords{"5_0", "5_1"});
  CHECK(slurm.commands.ran.size() == 1);
  slurm.says("squeue", "5|FAILED|1|0|BadConstraints|5|6||5|N/A|tok|\n");  // rejected job
  CHECK_FALSE(slurm.scheduler->find(job).has_value());
  slurm.says("sacct", "8|COMPLETED|n1|tok\n");
  CHECK(slurm.scheduler->find(job).value().id == "8");
}
