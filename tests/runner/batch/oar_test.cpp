// SPDX-License-Identifier: Apache-2.0
// Tests of the commands that the OAR adaptor runs and of how it reads their output.
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

using Words = std::vector<std::string>;

/// OAR adaptor on fake commands that all return the answer set by the test.
struct Oar {
  Oar() {
    commands.answer = [this](const runner::Command& command) {
      for (const std::string& word : command.arguments) {
        if (word.ends_with(".tasks")) parameters = base::read_file(word);
      }
      return answer;
    };
  }
  void says(const std::string& out) { answer = {ExitStatus{}, out, "", 0}; }
  void fails(int code, const std::string& err, const std::string& out = "") {
    answer = {ExitStatus{code, 0}, out, err, 0};
  }
  Words words() const { return commands.ran.back().arguments; }
  Job job() const {
    base::write_file_atomically(temp / "all", "5\n6\n7\n");
    base::write_file_atomically(
        temp / "a.sh",
        "#!/bin/bash\n#OAR -p gpu='T4'\n#OAR --array-param-file " + (temp / "all").string() + "\n");
    Job job;
    job.name = "a";
    job.launch = "tok";
    job.script = temp / "a.sh";
    job.folder = temp.path();
    return job;
  }

  test::TempDir temp;
  Answer answer{ExitStatus{}, "", "", 0};
  std::string parameters;  ///< contents of the parameter file passed to oarsub
  test::FakeCommandRunner commands;
  test::FakeClock clock;
  std::unique_ptr<runner::JobScheduler> scheduler =
      base::find(runner::job_scheduler_table(), "job scheduler", "oar")
          .make({commands, clock, 4, "alice"});
};

}  // namespace

TEST_CASE("a job is submitted with oarsub under a name that ends with its token") {
  Oar oar;
  oar.says("[ADMISSION RULE] x\nOAR_JOB_ID=12\n");
  const Job job = oar.job();
  const auto submitted = oar.scheduler->submit(job);
  CHECK(submitted.id == "12");
  CHECK(submitted.tasks.empty());
  CHECK(oar.words() == Words{"oarsub", "-S", "-n", "a.tok", "-d", job.folder, job.script});
}

TEST_CASE("job settings are passed to oarsub as options") {
  Oar oar;
  oar.says("OAR_JOB_ID=12\nOAR_JOB_ID=13\nOAR_ARRAY_ID=12\n");
  Job job = oar.job();
  job.tasks = {2, 0};
  job.after = {"7-8"};
  job.avoid = {"n1"};
  const auto submitted = oar.scheduler->submit(job);
  CHECK(submitted.id == "12-13");
  CHECK(submitted.tasks == Words{"12", "13"});
  const std::string file = oar.temp / "a.tok.tasks";
  CHECK(oar.words() == Words{"oarsub", "-S", "-n", "a.tok", "-d", job.folder, "-a", "7", "-a", "8",
                             "-p", "(gpu='T4') AND network_address NOT IN ('n1')",
                             "--array-param-file", file, job.script});
  CHECK(oar.parameters == "7\n5\n");
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("a job rejected by OAR is distinguished from an unreachable OAR") {
  Oar oar;
  oar.fails(8, "There are not enough resources for your request\n", "OAR_JOB_ID=-5\n");
  CHECK_THROWS_WITH(oar.scheduler->submit(oar.job()),
                    "job a was rejected: There are not enough resources for your request");
  oar.fails(9, "[ERROR] Cannot connect to executor. Job is killed.\n", "OAR_JOB_ID=12\n");
  CHECK_THROWS_AS(oar.scheduler->submit(oar.job()), runner::SchedulerUnreachable);
}

TEST_CASE("a job is unknown while its oarsub is still running") {
  Oar oar;
  oar.answer = {std::nullopt, "", "", 55};
  CHECK_THROWS_WITH(oar.scheduler->submit(oar.job()), "oarsub has not answered for 60 s");
  oar.says("{}");
  CHECK_THROWS_WITH(oar.scheduler->submit(oar.job()), "oarsub for job a has not answered yet");
  CHECK_THROWS_AS(oar.scheduler->find(oar.job()), runner::SchedulerUnreachable);
  oar.commands.end(55, {0, 0});
  CHECK_FALSE(oar.scheduler->find(oar.job()).has_value());
}

TEST_CASE("one oarstat call returns many jobs and their repetitions") {
  Oar oar;
  oar.says(
      R"({"1":{"state":"Running"},"2":{"state":"Error"},"5":{"state":"Waiting","resubmit_job_id":2}})");
  const auto answers = oar.scheduler->status({"1", "2", "3"});
  CHECK(answers[0].state == JobState::Running);
  CHECK(answers[1].continued_as == "5");
  CHECK(answers[2].state == JobState::Lost);
  CHECK(oar.commands.ran.size() == 1);
  CHECK(oar.words() ==
        Words{"oarstat", "-J", "-f", "--sql", "job_id IN (1,2,3) OR resubmit_job_id IN (1,2,3)"});
  CHECK(oar.commands.ran[0].environment.at("OAR_OARSTAT_OUTPUT_FORMAT") == "2");
  oar.fails(25, "cannot connect to the database\n");
  CHECK_THROWS_WITH(oar.scheduler->status({"1"}), "oarstat: cannot connect to the database");
}

TEST_CASE("an array is found with ordered tasks, and repeated tasks keep their first ids") {
  Oar oar;
  oar.says(
      R"({"9":{"array_index":2},"8":{"array_index":1},"11":{"array_index":1,"resubmit_job_id":8}})");
  Job job = oar.job();
  job.tasks = {0, 2};
  CHECK(oar.scheduler->find(job).value().tasks == Words{"8", "9"});
  CHECK(oar.words().back() == "job_name = 'a.tok'");
}

TEST_CASE("the elapsed time of an ended job is read from oarstat") {
  Oar oar;
  oar.says(
      R"({"1":{"state":"Terminated","exit_code":0,"startTime":5,"stopTime":9},"2":{"state":"Running","startTime":5}})");
  const auto usage = oar.scheduler->usage({"1", "2"});
  CHECK(usage[0].elapsed_s == 4);
  CHECK_FALSE(usage[0].cpu_s.has_value());
  CHECK_FALSE(usage[1].elapsed_s.has_value());
}

TEST_CASE("OAR commands apply to each job of an array, and a failure is reported") {
  Oar oar;
  oar.scheduler->cancel({"4-5", "7"});
  CHECK(oar.words() == Words{"oardel", "4", "5", "7"});
  oar.scheduler->hold({"4"});
  CHECK(oar.words() == Words{"oarhold", "4"});
  oar.scheduler->release({"4"});
  CHECK(oar.words() == Words{"oarresume", "4"});
  oar.scheduler->signal({"4"}, 10);
  CHECK(oar.words() == Words{"oardel", "-s", "10", "4"});
  oar.fails(1, "/!\\ Cannot hold 4 : you are not the right user.\n");
  CHECK_THROWS_WITH(oar.scheduler->hold({"4"}),
                    "oarhold: /!\\ Cannot hold 4 : you are not the right user.");
  oar.fails(2, "Could not connect to the socket oarserver:6666\n");
  CHECK_THROWS_AS(oar.scheduler->cancel({"4"}), runner::SchedulerUnreachable);
}
