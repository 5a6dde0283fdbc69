// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <catch2/catch.hpp>

#include "runner/batch/job_scheduler.hpp"
#include "tests/runner/fake_command_runner.hpp"
#include "tests/support/fake_clock.hpp"

using namespace dlscale;
using runner::Job;
using runner::JobState;

namespace {

using Signals = std::vector<std::pair<int, int>>;

struct Machine {
  std::unique_ptr<runner::JobScheduler> make() {
    return base::find(runner::job_scheduler_table(), "job scheduler", "local")
        .make({commands, clock, 4, "alice", gpus});
  }
  JobState state(const runner::JobId& id) { return scheduler->status({id})[0].state; }
  std::vector<std::string> gpus;
  test::FakeCommandRunner commands;
  test::FakeClock clock;
  std::unique_ptr<runner::JobScheduler> scheduler = make();
};

Job job(const std::string& name, int cores, int gpus = 0) {
  Job job{name, "token-" + name, "/plan/jobs/" + name + ".sh", "/plan", "/plan/out", "/plan/err"};
  job.cores = cores;
  job.gpus = gpus;
  return job;
}

/// Machine with four GPUs.
struct GpuMachine : Machine {
  GpuMachine() {
    gpus = {"0", "1", "2", "3"};
    scheduler = make();
  }
  std::string visible(std::size_t started) const {
    return commands.started.at(started).environment.at("CUDA_VISIBLE_DEVICES");
  }
};

}  // namespace

TEST_CASE("a local job runs its script with an environment variable that identifies it") {
  Machine machine;
  machine.scheduler->submit(job("a", 1));
  REQUIRE(machine.commands.started.size() == 1);
  const runner::Command& command = machine.commands.started[0];
  CHECK(command.arguments == std::vector<std::string>{"bash", "/plan/jobs/a.sh", "token-a"});
  CHECK(command.folder == "/plan");
  CHECK(command.environment.at("DLSCALE_JOB") == "token-a");
}

TEST_CASE("local jobs start in order as long as cores are free") {
  Machine machine;
  const auto a = machine.scheduler->submit(job("a", 3)).id;
  const auto b = machine.scheduler->submit(job("b", 2)).id;
  const auto c = machine.scheduler->submit(job("c", 1)).id;  // job that fits but must wait for b
  CHECK(machine.state(a) == JobState::Running);
  CHECK(machine.state(b) == JobState::Queued);
  CHECK(machine.state(c) == JobState::Queued);
  machine.commands.end(100, {0, 0});
  CHECK(machine.state(a) == JobState::Done);
  CHECK(machine.state(b) == JobState::Running);
  CHECK(machine.state(c) == JobState::Running);
}

TEST_CASE("a local job wider than the machine runs alone") {
  Machine machine;
  const auto a = machine.scheduler->submit(job("a", 1)).id;
  const auto wide = machine.scheduler->submit(job("wide", 64)).id;
  const auto c = machine.scheduler->submit(job("c", 1)).id;
  CHECK(machine.state(wide) == JobState::Queued);
  machine.commands.end(100, {0, 0});
  CHECK(machine.state(a) == JobState::Done);
  CHECK(machine.state(wide) == JobState::Running);
  CHECK(machine.state(c) == JobState::Queued);
}

TEST_CASE("a cancelled local job receives SIGTERM and is killed after 8 s") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1)).id;
  machine.scheduler->cancel({id});
  CHECK(machine.commands.signals == Signals{{100, SIGTERM}});
  machine.clock.now_s = 7.9;
  CHECK(machine.state(id) == JobState::Running);
  CHECK(machine.commands.killed.empty());
  machine.clock.now_s = 8;
  CHECK(machine.state(id) == JobState::Running);
  CHECK(machine.commands.killed.at(0) == 100);
  machine.commands.end(100, {0, SIGKILL});
  CHECK(machine.state(id) == JobState::Cancelled);
}

TEST_CASE("a queued local job that is cancelled never starts") {
  Machine machine;
  const auto a = machine.scheduler->submit(job("a", 4)).id;
  const auto b = machine.scheduler->submit(job("b", 4)).id;
  machine.scheduler->cancel({b});
  CHECK(machine.state(b) == JobState::Cancelled);
  machine.commands.end(100, {0, 0});
  CHECK(machine.state(a) == JobState::Done);
  CHECK(machine.commands.started.size() == 1);
}

TEST_CASE("ranks that outlive a local job's script are killed") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1)).id;
  machine.commands.alive[555] = {{"DLSCALE_JOB", "token-a"}};
  machine.commands.alive[666] = {{"DLSCALE_JOB", "token-other"}};
  machine.commands.end(100, {0, SIGKILL});
  CHECK(machine.state(id) == JobState::Failed);
  CHECK(machine.commands.killed == std::vector<int>{555});
}

TEST_CASE("a local job left running by an earlier program is found and followed") {
  Machine machine;
  machine.commands.alive[555] = {{"DLSCALE_JOB", "token-a"}};
  CHECK_FALSE(machine.scheduler->find(job("b", 1)).has_value());
  const auto id = machine.scheduler->find(job("a", 4));
  REQUIRE(id.has_value());
  CHECK(machine.state(id->id) == JobState::Running);
  const auto b = machine.scheduler->submit(job("b", 1)).id;
  CHECK(machine.state(b) == JobState::Queued);  // cores still in use
  machine.commands.alive.erase(555);
  CHECK(machine.state(id->id) == JobState::Lost);
  CHECK(machine.state(b) == JobState::Running);
}

TEST_CASE("a local job left by an earlier program can be cancelled") {
  Machine machine;
  machine.commands.alive[555] = {{"DLSCALE_JOB", "token-a"}};
  machine.commands.alive[556] = {{"DLSCALE_JOB", "token-a"}};
  const auto id = machine.scheduler->find(job("a", 1));
  machine.scheduler->cancel({id->id});
  CHECK(machine.commands.signals == Signals{{555, SIGTERM}});
  machine.clock.now_s = 8;
  CHECK(machine.state(id->id) == JobState::Running);
  CHECK(machine.commands.killed == std::vector<int>{555, 556});
  machine.commands.alive.clear();
  CHECK(machine.state(id->id) == JobState::Cancelled);
}

TEST_CASE("no local job outlives its scheduler") {
  Machine machine;
  machine.scheduler->submit(job("a", 1));
  machine.scheduler.reset();
  CHECK(machine.commands.killed.at(0) == 100);
}

TEST_CASE("a local job can be submitted again after its end") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1)).id;
  machine.commands.end(100, {1, 0});
  CHECK(machine.state(id) == JobState::Failed);
  CHECK(machine.scheduler->submit(job("a", 1)).id == id);
  CHECK(machine.state(id) == JobState::Running);
}

TEST_CASE("a local job of another program is visible and left running") {
  Machine machine;
  machine.commands.alive[555] = {{"DLSCALE_JOB", "token-a"}};
  CHECK(machine.state("token-a") == JobState::Running);
  machine.scheduler->signal({"token-a"}, SIGUSR1);
  CHECK(machine.commands.signals == Signals{{555, SIGUSR1}});
  machine.scheduler.reset();
  CHECK(machine.commands.killed.empty());
}

TEST_CASE("each local job sees only the GPUs assigned to it") {
  GpuMachine machine;
  machine.scheduler->submit(job("a", 1, 1));
  machine.scheduler->submit(job("b", 1, 2));
  machine.scheduler->submit(job("c", 1, 0));
  const auto d = machine.scheduler->submit(job("d", 1, 2)).id;
  CHECK(machine.visible(0) == "0");
  CHECK(machine.visible(1) == "1,2");
  CHECK(machine.visible(2).empty());
  CHECK(machine.state(d) == JobState::Queued);
  machine.commands.end(101, {0, 0});
  CHECK(machine.state(d) == JobState::Running);
  CHECK(machine.visible(3) == "1,2");
}

TEST_CASE("a local job that requests too many GPUs runs alone with all GPUs") {
  GpuMachine machine;
  machine.scheduler->submit(job("a", 1, 8));
  const auto b = machine.scheduler->submit(job("b", 1, 1)).id;
  CHECK(machine.visible(0) == "0,1,2,3");
  CHECK(machine.state(b) == JobState::Queued);
}

TEST_CASE("CUDA_VISIBLE_DEVICES is not set on a machine without GPUs") {
  Machine machine;
  machine.scheduler->submit(job("a", 1, 1));
  CHECK_FALSE(machine.commands.started[0].environment.contains("CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("a local job that waits for another job does not block later jobs") {
  Machine machine;
  const auto a = machine.scheduler->submit(job("a", 1)).id;
  Job second = job("b", 1);
  second.after = {a};
  const auto b = machine.scheduler->submit(second).id;
  const auto c = machine.scheduler->submit(job("c", 1)).id;
  CHECK(machine.state(b) == JobState::Queued);
  CHECK(machine.state(c) == JobState::Running);
  machine.commands.end(100, {1, 0});
  machine.state(a);
  CHECK(machine.state(b) == JobState::Running);
}

TEST_CASE("a held local job starts when it is released") {
  Machine machine;
  machine.scheduler->submit(job("a", 4));
  const auto b = machine.scheduler->submit(job("b", 1)).id;
  machine.scheduler->hold({b});
  machine.commands.end(100, {0, 0});
  CHECK(machine.state(b) == JobState::Queued);
  CHECK(machine.scheduler->status({b})[0].reason == "held");
  machine.scheduler->release({b});
  CHECK(machine.state(b) == JobState::Running);
}

TEST_CASE("the usage of a local job is known after its end") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1)).id;
  CHECK_FALSE(machine.scheduler->usage({id})[0].elapsed_s.has_value());
  machine.clock.now_s = 5;
  machine.commands.used[100] = {2.5, 1000};
  machine.commands.end(100, {0, 0});
  machine.state(id);
  const auto usage = machine.scheduler->usage({id})[0];
  CHECK(usage.elapsed_s == 5);
  CHECK(usage.cpu_s == 2.5);
  CHECK(usage.peak_memory_bytes == 1000);
}

TEST_CASE("a job array is an error on a local site") {
  Machine machine;
  Job array = job("a", 1);
  array.tasks = {0, 1};
  CHECK_THROWS_WITH(machine.scheduler->submit(array),
                    Catch::StartsWith("job a is a job array, which needs a batch system"));
}
