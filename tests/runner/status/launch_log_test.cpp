// SPDX-License-Identifier: Apache-2.0
#include "runner/status/launch_log.hpp"

#include <catch2/catch.hpp>
#include <optional>

#include "base/error.hpp"
#include "runner/batch/command_runner.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using contract::LaunchRecord;
using runner::LaunchLog;

namespace {

LaunchRecord launch_event(const std::string& name, const std::string& job,
                          const std::string& run = "") {
  LaunchRecord record;
  record.event = name;
  record.job = job;
  record.run_id = run;
  return record;
}

}  // namespace

TEST_CASE("a launch log records the time and keeps the records of earlier programs") {
  test::TempDir temp;
  test::FakeClock clock;
  clock.now_s = 5;
  LaunchLog(temp / "launch.jsonl", clock).append(launch_event("submitted", "a"));
  LaunchLog log(temp / "launch.jsonl", clock);
  log.append(launch_event("started", "a"));
  REQUIRE(log.records().size() == 2);
  CHECK(log.records()[0].event == "submitted");
  CHECK(log.records()[0].time == 1.7e9 + 5);
  CHECK(contract::parse_launch_log(base::read_file(temp / "launch.jsonl")) == log.records());
}

TEST_CASE("a second program is rejected while the first program holds the log") {
  test::TempDir temp;
  test::FakeClock clock;
  std::optional<LaunchLog> first(std::in_place, temp / "launch.jsonl", clock);
  CHECK_THROWS_WITH(LaunchLog(temp / "launch.jsonl", clock),
                    "another dlscale is running the jobs of " + temp.path().string() +
                        "; wait until it is done, or stop it first");
  CHECK_THROWS_AS(LaunchLog(temp / "launch.jsonl", clock), runner::LogTaken);
  CHECK(runner::is_taken(temp / "launch.jsonl"));
  first.reset();
  CHECK_FALSE(runner::is_taken(temp / "launch.jsonl"));
  CHECK_NOTHROW(LaunchLog(temp / "launch.jsonl", clock));
}

TEST_CASE("a process that outlives its launcher does not keep the log locked") {
  test::TempDir temp;
  test::FakeClock clock;
  const auto commands = runner::make_command_runner();
  std::optional<LaunchLog> log(std::in_place, temp / "launch.jsonl", clock);
  const auto process = commands->start({{"sleep", "60"}, temp.path(), temp / "out", temp / "err"});
  log.reset();
  CHECK_NOTHROW(LaunchLog(temp / "launch.jsonl", clock));
  commands->kill_group(process);
}

TEST_CASE("a log that ends within a line is continued on a new line") {
  test::TempDir temp;
  test::FakeClock clock;
  base::write_file_atomically(temp / "launch.jsonl", R"({"event":"submitted","job":"a"})"
                                                     "\n"
                                                     R"({"event":"star)");
  LaunchLog log(temp / "launch.jsonl", clock);
  log.append(launch_event("submitted", "b"));
  const auto records = contract::parse_launch_log(base::read_file(temp / "launch.jsonl"));
  REQUIRE(records.size() == 2);
  CHECK(records[1].job == "b");
}

TEST_CASE("a log that cannot be written is an error with its path") {
  test::FakeClock clock;
  CHECK_THROWS_WITH(LaunchLog("/proc/nowhere/launch.jsonl", clock),
                    Catch::Contains("cannot write /proc/nowhere/launch.jsonl"));
}

TEST_CASE("a process that inherits the lock keeps the log locked until it ends") {
  test::TempDir temp;
  test::FakeClock clock;
  const auto commands = runner::make_command_runner();
  std::optional<LaunchLog> log(std::in_place, temp / "launch.jsonl", clock);
  runner::Command sleep{{"sleep", "60"}, temp.path(), temp / "out", temp / "err"};
  sleep.keep_open = {log->descriptor()};
  const auto process = commands->start(sleep);
  log.reset();
  CHECK_THROWS_AS(LaunchLog(temp / "launch.jsonl", clock), base::RunError);
  commands->kill_group(process);
  REQUIRE(commands->wait(process, 10));
  CHECK_NOTHROW(LaunchLog(temp / "launch.jsonl", clock));
}
