// SPDX-License-Identifier: Apache-2.0
#include <signal.h>

#include <catch2/catch.hpp>

#include "runner/job_scheduler.hpp"
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
        .make({commands, clock, 4});
  }
  JobState state(const runner::JobId& id) { return scheduler->status({id})[0].state; }
  test::FakeCommandRunner commands;
  test::FakeClock clock;
  std::unique_ptr<runner::JobScheduler> scheduler = make();
};

Job job(const std::string& name, int cores) {
  return {name, "/plan/jobs/" + name + ".sh", "/plan", "/plan/out", "/plan/err", cores};
}

}  // namespace

TEST_CASE("a local job is its script, marked for all its processes") {
  Machine machine;
  machine.scheduler->submit(job("a", 1));
  REQUIRE(machine.commands.started.size() == 1);
  const runner::Command& command = machine.commands.started[0];
  CHECK(command.arguments == std::vector<std::string>{"bash", "/plan/jobs/a.sh"});
  CHECK(command.folder == "/plan");
  CHECK(command.environment.at("DLSCALE_JOB") == "/plan/jobs/a.sh");
}

TEST_CASE("local jobs start in order as long as cores are free") {
  Machine machine;
  const auto a = machine.scheduler->submit(job("a", 3));
  const auto b = machine.scheduler->submit(job("b", 2));
  const auto c = machine.scheduler->submit(job("c", 1));  // would fit, but is not its turn
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
  const auto a = machine.scheduler->submit(job("a", 1));
  const auto wide = machine.scheduler->submit(job("wide", 64));
  const auto c = machine.scheduler->submit(job("c", 1));
  CHECK(machine.state(wide) == JobState::Queued);
  machine.commands.end(100, {0, 0});
  CHECK(machine.state(a) == JobState::Done);
  CHECK(machine.state(wide) == JobState::Running);
  CHECK(machine.state(c) == JobState::Queued);
}

TEST_CASE("a cancelled local job is asked to end, and killed when it does not within 8 s") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1));
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

TEST_CASE("a cancelled local job that still waits never starts") {
  Machine machine;
  const auto a = machine.scheduler->submit(job("a", 4));
  const auto b = machine.scheduler->submit(job("b", 4));
  machine.scheduler->cancel({b});
  CHECK(machine.state(b) == JobState::Cancelled);
  machine.commands.end(100, {0, 0});
  CHECK(machine.state(a) == JobState::Done);
  CHECK(machine.commands.started.size() == 1);
}

TEST_CASE("ranks that outlive a local job's script are killed") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1));
  machine.commands.alive[555] = {{"DLSCALE_JOB", "/plan/jobs/a.sh"}};
  machine.commands.alive[666] = {{"DLSCALE_JOB", "/plan/jobs/other.sh"}};
  machine.commands.end(100, {0, SIGKILL});
  CHECK(machine.state(id) == JobState::Failed);
  CHECK(machine.commands.killed == std::vector<int>{555});
}

TEST_CASE("a local job that an earlier program left running is found and watched") {
  Machine machine;
  machine.commands.alive[555] = {{"DLSCALE_JOB", "/plan/jobs/a.sh"}};
  CHECK(machine.scheduler->find(job("b", 1)) == std::nullopt);
  const auto id = machine.scheduler->find(job("a", 4));
  REQUIRE(id.has_value());
  CHECK(machine.state(*id) == JobState::Running);
  const auto b = machine.scheduler->submit(job("b", 1));
  CHECK(machine.state(b) == JobState::Queued);  // its cores are taken
  machine.commands.alive.erase(555);
  CHECK(machine.state(*id) == JobState::Lost);
  CHECK(machine.state(b) == JobState::Running);
}

TEST_CASE("a local job left by an earlier program can be cancelled") {
  Machine machine;
  machine.commands.alive[555] = {{"DLSCALE_JOB", "/plan/jobs/a.sh"}};
  machine.commands.alive[556] = {{"DLSCALE_JOB", "/plan/jobs/a.sh"}};
  const auto id = machine.scheduler->find(job("a", 1));
  machine.scheduler->cancel({*id});
  CHECK(machine.commands.signals == Signals{{555, SIGTERM}});
  machine.clock.now_s = 8;
  CHECK(machine.state(*id) == JobState::Running);
  CHECK(machine.commands.killed == std::vector<int>{555, 556});
  machine.commands.alive.clear();
  CHECK(machine.state(*id) == JobState::Cancelled);
}

TEST_CASE("no local job outlives its scheduler") {
  Machine machine;
  machine.scheduler->submit(job("a", 1));
  machine.scheduler.reset();
  CHECK(machine.commands.killed.at(0) == 100);
}

TEST_CASE("a local job can be submitted again after its end") {
  Machine machine;
  const auto id = machine.scheduler->submit(job("a", 1));
  machine.commands.end(100, {1, 0});
  CHECK(machine.state(id) == JobState::Failed);
  CHECK(machine.scheduler->submit(job("a", 1)) == id);
  CHECK(machine.state(id) == JobState::Running);
}
