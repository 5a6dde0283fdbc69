// SPDX-License-Identifier: Apache-2.0
// Every job scheduler runs the life of a job, with real processes.
#include "runner/job_scheduler.hpp"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using runner::JobState;
using runner::JobStatus;

namespace {

struct Bench {
  explicit Bench(const runner::JobSchedulerEntry& entry)
      : scheduler(entry.make({*commands, clock, 4})) {}

  runner::Job job(const std::string& name, const std::string& body) const {
    base::write_file_atomically(temp / (name + ".sh"), "#!/usr/bin/env bash\n" + body + "\n");
    return {
        name, temp / (name + ".sh"), temp.path(), temp / (name + ".out"), temp / (name + ".err"),
        1};
  }
  template <class Condition>
  std::vector<JobStatus> wait_until(const std::vector<runner::JobId>& ids, Condition condition) {
    const double deadline_s = clock.steady_s() + 20;
    for (;;) {
      const auto answers = scheduler->status(ids);
      REQUIRE(answers.size() == ids.size());
      if (condition(answers)) return answers;
      REQUIRE(clock.steady_s() < deadline_s);
      ::usleep(10000);
    }
  }
  std::vector<JobStatus> wait_for_end(const std::vector<runner::JobId>& ids) {
    return wait_until(ids, [](const auto& answers) {
      return std::all_of(answers.begin(), answers.end(),
                         [](const JobStatus& status) { return has_ended(status.state); });
    });
  }

  test::TempDir temp;
  base::SystemClock clock;
  std::unique_ptr<runner::CommandRunner> commands = runner::make_command_runner();
  std::unique_ptr<runner::JobScheduler> scheduler;
};

template <class Check>
void for_each_scheduler(Check check) {
  for (const auto* entry : runner::job_scheduler_table()) {
    INFO(entry->name);
    Bench bench(*entry);
    check(bench);
  }
}

}  // namespace

TEST_CASE("every scheduler brings a job from submission over running to its exit code") {
  for_each_scheduler([](Bench& bench) {
    const auto id = bench.scheduler->submit(
        bench.job("a", "echo out; echo err >&2; while [[ ! -e go ]]; do sleep 0.02; done; exit 3"));
    const auto running = [](const auto& answers) { return answers[0].state == JobState::Running; };
    CHECK_FALSE(bench.wait_until({id}, running)[0].exit_code.has_value());
    base::write_file_atomically(bench.temp / "go", "");
    const JobStatus end = bench.wait_for_end({id})[0];
    CHECK(end.state == JobState::Failed);
    CHECK(end.exit_code == 3);
    CHECK(base::read_file(bench.temp / "a.out") == "out\n");
    CHECK(base::read_file(bench.temp / "a.err") == "err\n");
  });
}

TEST_CASE("every scheduler answers for many jobs at once, in order") {
  for_each_scheduler([](Bench& bench) {
    std::vector<runner::JobId> ids;
    for (int code : {0, 7, 0, 9}) {
      const std::string name = "job" + std::to_string(ids.size());
      ids.push_back(bench.scheduler->submit(bench.job(name, "exit " + std::to_string(code))));
    }
    const auto answers = bench.wait_for_end(ids);
    CHECK(answers[0].state == JobState::Done);
    CHECK(answers[1].exit_code == 7);
    CHECK(answers[2].exit_code == 0);
    CHECK(answers[3].exit_code == 9);
  });
}

TEST_CASE("every scheduler cancels a running job with all its processes") {
  for_each_scheduler([](Bench& bench) {
    const auto id = bench.scheduler->submit(bench.job(
        "a", "sleep 60 & echo $! >pids; setsid sleep 60 & echo $! >>pids; touch ready; wait"));
    bench.wait_until({id},
                     [&](const auto&) { return std::filesystem::exists(bench.temp / "ready"); });
    bench.scheduler->cancel({id});
    CHECK(bench.wait_for_end({id})[0].state == JobState::Cancelled);
    // A killed process may be on its way out for an instant.
    const double deadline_s = bench.clock.steady_s() + 20;
    const runner::Job job = bench.job("a", "");
    while (bench.scheduler->find(job) && bench.clock.steady_s() < deadline_s) ::usleep(10000);
    CHECK_FALSE(bench.scheduler->find(job).has_value());
  });
}

TEST_CASE("every scheduler kills a job that ignores the first request at the second") {
  for_each_scheduler([](Bench& bench) {
    const auto id = bench.scheduler->submit(
        bench.job("a", "trap '' TERM; touch ready; while :; do sleep 0.1; done"));
    bench.wait_until({id},
                     [&](const auto&) { return std::filesystem::exists(bench.temp / "ready"); });
    bench.scheduler->cancel({id});
    CHECK(bench.scheduler->status({id})[0].state == JobState::Running);
    bench.scheduler->cancel({id});
    CHECK(bench.wait_for_end({id})[0].state == JobState::Cancelled);
  });
}

TEST_CASE("every scheduler calls a job lost that it never saw") {
  for_each_scheduler([](Bench& bench) {
    CHECK(bench.scheduler->status({"4711"})[0].state == JobState::Lost);
    CHECK_NOTHROW(bench.scheduler->cancel({"4711"}));
    CHECK_FALSE(bench.scheduler->find(bench.job("a", "")).has_value());
  });
}

TEST_CASE("the table of job schedulers has distinct names and summaries") {
  const auto names = base::names(runner::job_scheduler_table());
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const auto* entry : runner::job_scheduler_table()) CHECK(std::string(entry->summary) != "");
}
