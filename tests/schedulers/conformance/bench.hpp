// SPDX-License-Identifier: Apache-2.0
// Test bench with the job scheduler named in $DLSCALE_SCHEDULER and small bash scripts as jobs.
#pragma once

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "tests/support/temp_dir.hpp"

namespace dlscale::test {

using runner::Job;
using runner::JobId;
using runner::JobState;
using runner::JobStatus;

class Bench {
 public:
  explicit Bench(double patience_s = 60)
      : setup_(runner::scheduler_setup(*commands, clock)), name_(chosen()) {
    setup_.cores = 4;
    setup_.patience_s = patience_s;
    scheduler = another();
  }
  /// Cancels the jobs that a failed test case leaves, because they would block the next case.
  ~Bench() {
    const double deadline_s = clock.steady_s() + 60;
    try {
      for (scheduler->cancel(taken_); !all_ended(scheduler->status(taken_));) {
        if (clock.steady_s() > deadline_s) return;
        ::usleep(100'000);
      }
    } catch (const base::Error&) {
    }
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  static std::string chosen() {
    const char* name = std::getenv("DLSCALE_SCHEDULER");
    return name == nullptr ? "local" : name;
  }
  bool is(const std::string& name) const { return name_ == name; }
  /// Returns a scheduler object that has no record of this bench's jobs, as in another program.
  std::unique_ptr<runner::JobScheduler> another() const {
    return base::find(runner::job_scheduler_table(), "job scheduler", name_).make(setup_);
  }

  /// Makes a job of one core. `directives` are additional lines for the head of the script.
  Job job(const std::string& name, const std::string& body, const std::string& directives = "") {
    Job job;
    job.name = name;
    job.launch = fmt::format("t{}x{}x{}", ::getpid(), ::time(nullptr), ++count_);
    job.script = temp / (name + ".sh");
    job.folder = temp.path();
    job.out = temp / (name + ".out");
    job.err = temp / (name + ".err");
    base::Folder(temp.path())
        .write(name + ".sh", "#!/bin/bash\n" + head(job, directives) + "\n" + body + "\n",
               base::Folder::Mode::executable);
    return job;
  }
  /// Makes a job with an array of four tasks. In the script, $task is the number of the task.
  Job array(const std::string& name, std::vector<int> tasks, const std::string& body) {
    const std::string table = temp / (name + ".params");
    base::write_file_atomically(table, "0\n1\n2\n3\n");
    Job job = this->job(name, "task=${SLURM_ARRAY_TASK_ID:-$1}\n" + body,
                        is("oar") ? "#OAR --array-param-file " + table : "#SBATCH --array=0-3");
    job.tasks = std::move(tasks);
    return job;
  }

  runner::Submitted submit(const Job& job) {
    const runner::Submitted submitted = scheduler->submit(job);
    taken_.push_back(submitted.id);
    if (!submitted.tasks.empty()) {
      taken_.pop_back();
      taken_.insert(taken_.end(), submitted.tasks.begin(), submitted.tasks.end());
    }
    return submitted;
  }
  JobStatus status(const JobId& id) { return scheduler->status({id}).at(0); }

  template <class Condition>
  void wait_until(Condition condition, double limit_s = 60) {
    // A job takes OAR seconds of processor time, and several times as long next to other tests.
    const double deadline_s = clock.steady_s() + (is("oar") ? 3 * limit_s : limit_s);
    while (!condition()) {
      if (clock.steady_s() > deadline_s) FAIL("waited too long");
      ::usleep(is("local") ? 10'000 : is("slurm") ? 200'000 : 1'500'000);
    }
  }
  void wait_for_file(const std::string& name) {
    wait_until([&] {
      scheduler->status({});
      return std::filesystem::exists(temp / name);
    });
  }
  JobStatus wait_for(const JobId& id, JobState state, double limit_s = 60) {
    JobStatus last;
    wait_until(
        [&] {
          last = status(id);
          if (last.state != state && has_ended(last.state)) {
            FAIL(id << " is " << to_string(last.state) << ": " << last.reason);
          }
          return last.state == state;
        },
        limit_s);
    return last;
  }
  std::vector<JobStatus> wait_for_end(const std::vector<JobId>& ids, double limit_s = 60) {
    std::vector<JobStatus> answers;
    wait_until(
        [&] {
          answers = scheduler->status(ids);
          return all_ended(answers);
        },
        limit_s);
    return answers;
  }
  JobStatus wait_for_end(const JobId& id, double limit_s = 60) {
    return wait_for_end(std::vector{id}, limit_s).at(0);
  }
  std::string text(const std::string& name) const { return base::read_file(temp / name); }
  void touch(const std::string& name) const { base::write_file_atomically(temp / name, ""); }
  /// Runs a cluster command and requires its success.
  void command(const std::vector<std::string>& words) {
    const runner::Answer answer = commands->run({words, temp.path()}, 120);
    INFO(answer.err);
    REQUIRE(answer.end == runner::ExitStatus{});
  }

  TempDir temp;
  base::SystemClock clock;
  std::unique_ptr<runner::CommandRunner> commands = runner::make_command_runner();
  std::unique_ptr<runner::JobScheduler> scheduler;

 private:
  static bool all_ended(const std::vector<JobStatus>& answers) {
    return std::all_of(answers.begin(), answers.end(),
                       [](const JobStatus& one) { return has_ended(one.state); });
  }
  std::string head(const Job& job, const std::string& more) const {
    const std::string out = job.out, err = job.err;
    if (is("slurm")) {
      return "#SBATCH --job-name=" + job.name + "\n#SBATCH --output=" + out +
             "\n#SBATCH --error=" + err + "\n#SBATCH --open-mode=append\n#SBATCH --ntasks=1\n" +
             "#SBATCH --mem=200M\n#SBATCH --partition=gpu\n" + more;
    }
    if (!is("oar")) return "";
    // A second -l request would describe another shape of the job.
    const bool asks = more.find("#OAR -l ") != std::string::npos;
    return "#OAR -n " + job.name + "\n#OAR -O " + out + "\n#OAR -E " + err + "\n" +
           (asks ? "" : "#OAR -l nodes=1/core=1,walltime=0:05:00\n") + more;
  }

  runner::SchedulerSetup setup_;
  std::string name_;
  std::vector<JobId> taken_;
  int count_ = 0;
};

}  // namespace dlscale::test
