// SPDX-License-Identifier: Apache-2.0
// Launcher over a fake batch system.
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "runner/launch/launcher.hpp"
#include "tests/runner/fake_scheduler.hpp"
#include "tests/runner/written_plan.hpp"
#include "tests/support/fake_clock.hpp"

namespace dlscale::test {

using contract::RunOutcome;
using runner::JobState;

class Watcher : public runner::LaunchObserver {
 public:
  void submitted(const runner::Submission&) override {}
  void run_ended(const runner::RunReport& report, const runner::Progress&) override {
    ended.push_back(report.run_id);
  }
  void progressed(const runner::Progress& progress) override { last = progress; }
  void told(const std::string& line) override { lines.push_back(line); }
  std::vector<std::string> ended, lines;
  runner::Progress last;
};

/// Launcher over a fake batch system, with pauses that only advance the fake clock.
struct LaunchDesk {
  explicit LaunchDesk(const std::vector<std::string>& jobs) : written(jobs) {
    options.window = 2;
    for (const auto& run : written.plan.runs) orders.submit.insert(run.run_id);
  }

  runner::LaunchReport launch() {
    runner::LaunchLog log(written.folder.launch_log(), clock);
    const runner::WaitContext waiting{clock, [this](double seconds) { clock.now_s += seconds; },
                                      [this] { return stop_requests; }};
    const auto new_launch = [this] { return "t" + std::to_string(++launches); };
    return runner::Launcher(written.plan, written.folder,
                            {scheduler, log, watcher, waiting, new_launch, more}, options)
        .run(orders);
  }
  void complete(const std::string& job) {
    written.write_completed("run-" + job, clock.unix_s());
    scheduler.end(job, 0);
  }
  /// Makes every job complete at the next status request.
  void let_jobs_complete() {
    scheduler.on_status = [this] {
      for (const auto& [id, status] : scheduler.jobs) {
        if (status.state == JobState::Running) complete(id.substr(3));
      }
    };
  }
  /// Replaces the jobs with one array of all runs.
  void make_array() {
    auto& jobs = written.plan.jobs;
    for (std::size_t i = 1; i < jobs.size(); ++i) jobs[0].run_ids.push_back(jobs[i].run_ids[0]);
    jobs.resize(1);
    jobs[0].kind = contract::JobKind::array;
  }
  /// Runs a launcher that dies at its first status request.
  void die() {
    scheduler.on_status = [] { throw std::runtime_error("the launcher dies"); };
    CHECK_THROWS_AS(launch(), std::runtime_error);
    scheduler.on_status = {};
    clock.now_s += 60;
  }
  std::vector<contract::LaunchRecord> log() const {
    return contract::parse_launch_log(base::read_file(written.folder.launch_log()));
  }
  std::vector<std::string> events() const {
    std::vector<std::string> list;
    for (const auto& record : log()) list.push_back(record.event + " " + record.job);
    return list;
  }

  WrittenPlan written;
  FakeClock clock;
  FakeScheduler scheduler;
  Watcher watcher;
  runner::LauncherOptions options;
  runner::LaunchOrders orders;
  std::function<std::set<std::string>()> more;
  int stop_requests = 0, launches = 0;
};

}  // namespace dlscale::test
