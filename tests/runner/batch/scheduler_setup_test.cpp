// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <catch2/catch.hpp>
#include <set>

#include "runner/batch/job_scheduler.hpp"
#include "tests/runner/fake_command_runner.hpp"
#include "tests/support/fake_clock.hpp"

using namespace dlscale;

namespace {

std::vector<std::string> gpus_with(const char* visible) {
  ::setenv("CUDA_VISIBLE_DEVICES", visible, 1);
  test::FakeCommandRunner commands;
  test::FakeClock clock;
  const auto gpus = runner::scheduler_setup(commands, clock).gpus;
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  return gpus;
}

}  // namespace

TEST_CASE("the scheduler setup contains the cores of this machine and the user") {
  test::FakeCommandRunner commands;
  test::FakeClock clock;
  const runner::SchedulerSetup setup = runner::scheduler_setup(commands, clock);
  CHECK(setup.cores >= 1);
  CHECK_FALSE(setup.user.empty());
}

TEST_CASE("GPUs that are hidden from this program are hidden from its jobs") {
  CHECK(gpus_with("1,3") == std::vector<std::string>{"1", "3"});
  CHECK(gpus_with("").empty());
}

TEST_CASE("the table of job schedulers has distinct names and summaries") {
  const auto names = base::names(runner::job_scheduler_table());
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  for (const auto* entry : runner::job_scheduler_table()) CHECK(std::string(entry->summary) != "");
}
