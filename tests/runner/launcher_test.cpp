// SPDX-License-Identifier: Apache-2.0
#include "runner/launcher.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/runner/fake_scheduler.hpp"
#include "tests/runner/written_plan.hpp"
#include "tests/support/fake_clock.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobState;

namespace {

class Watcher : public runner::LaunchObserver {
 public:
  void run_ended(const runner::RunReport& report, const runner::Progress&) override {
    ended.push_back(report.run_id);
  }
  void progressed(const runner::Progress& progress) override { last = progress; }
  std::vector<std::string> ended;
  runner::Progress last;
};

/// A launcher over a fake batch system; each pause lasts as long as asked, at once.
struct Desk {
  explicit Desk(const std::vector<std::string>& jobs) : written(jobs) {}

  runner::LaunchReport launch(int window = 2) {
    runner::LaunchLog log(written.folder.launch_log(), clock);
    const runner::LauncherParts parts{scheduler,
                                      log,
                                      watcher,
                                      clock,
                                      [this](double seconds) { clock.now_s += seconds; },
                                      [this] { return stop_requests; }};
    return runner::Launcher(written.plan, written.folder, parts, {window, 0.1, 30}).run();
  }
  void complete(const std::string& job) {
    written.write_completed("run-" + job, clock.unix_s());
    scheduler.end(job, 0);
  }
  /// From now on every job completes as soon as the scheduler is asked.
  void let_jobs_complete() {
    scheduler.on_status = [this] {
      for (const auto& [id, status] : scheduler.jobs) {
        if (status.state == JobState::Running) complete(id.substr(3));
      }
    };
  }
  std::vector<contract::LaunchRecord> log() const {
    return contract::parse_launch_log(base::read_file(written.folder.launch_log()));
  }
  std::vector<std::string> events() const {
    std::vector<std::string> list;
    for (const auto& record : log()) list.push_back(record.event + " " + record.job);
    return list;
  }

  test::WrittenPlan written;
  test::FakeClock clock;
  test::FakeScheduler scheduler;
  Watcher watcher;
  int stop_requests = 0;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("each job is noted before it is submitted, when it runs and when it has ended") {
  Desk desk({"a"});
  Lines before_submission;
  desk.scheduler.on_submit = [&](const runner::Job&) { before_submission = desk.events(); };
  desk.let_jobs_complete();
  const auto report = desk.launch();
  CHECK(before_submission == Lines{"submitted a"});
  CHECK(desk.events() == Lines{"submitted a", "started a", "ended a"});
  const auto end = desk.log().back();
  CHECK(end.run_id == "run-a");
  CHECK(end.job_id == "id-a");
  CHECK(end.outcome == RunOutcome::Completed);
  CHECK_FALSE(report.stopped);
  CHECK(report.ended.size() == 1);
}

TEST_CASE("no more jobs than the window are with the scheduler, and all get their turn") {
  Desk desk({"a", "b", "c", "d", "e"});
  desk.let_jobs_complete();
  const auto report = desk.launch(2);
  CHECK(desk.scheduler.most_asked == 2);
  CHECK(desk.scheduler.submitted == Lines{"a", "b", "c", "d", "e"});
  CHECK(report.ended.size() == 5);
  CHECK(desk.watcher.last.completed == 5);
  CHECK(desk.watcher.last.total == 5);
}

TEST_CASE("runs that are completed already are not run again") {
  Desk desk({"a", "b"});
  desk.written.write_completed("run-a", 10);
  desk.let_jobs_complete();
  const auto report = desk.launch();
  CHECK(desk.scheduler.submitted == Lines{"b"});
  CHECK(report.ended.size() == 1);
  CHECK(desk.watcher.last.completed == 2);
}

TEST_CASE("a plan whose runs are all completed does not reach the scheduler") {
  Desk desk({"a"});
  desk.written.write_completed("run-a", 10);
  CHECK(desk.launch().ended.empty());
  CHECK(desk.scheduler.submitted.empty());
  CHECK(desk.events().empty());
}

TEST_CASE("a failed run is noted with its reason, and the others still run") {
  Desk desk({"a", "b"});
  desk.scheduler.on_status = [&] {
    base::write_file_atomically(desk.written.folder.job_err("a"), "no data in /data\n");
    if (desk.scheduler.jobs.count("id-a")) desk.scheduler.end("a", 3);
    if (desk.scheduler.jobs.count("id-b")) desk.complete("b");
  };
  const auto report = desk.launch(1);
  REQUIRE(report.ended.size() == 2);
  CHECK(report.ended[0].end.outcome == RunOutcome::Failed);
  CHECK(report.ended[0].end.reason == "no data in /data");
  CHECK(report.ended[0].end.details == desk.written.folder.job_err("a"));
  CHECK(report.ended[1].end.outcome == RunOutcome::Completed);
  CHECK(desk.log()[2].reason == "no data in /data");
  CHECK(desk.log()[2].exit_code == 3);
  CHECK(desk.watcher.last.failed == 1);
}

TEST_CASE("a failed run is tried again by the next launcher") {
  Desk desk({"a"});
  desk.scheduler.on_status = [&] { desk.scheduler.end("a", 1); };
  desk.launch();
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.at(0).end.outcome == RunOutcome::Completed);
  CHECK(desk.scheduler.submitted == Lines{"a", "a"});
}

TEST_CASE("a stop request cancels what runs, notes it and submits nothing more") {
  Desk desk({"a", "b", "c"});
  desk.scheduler.on_status = [&] {
    desk.stop_requests = 1;
    if (desk.scheduler.cancelled.empty()) return;
    desk.scheduler.end("a", 143);
    desk.scheduler.end("b", 143);
  };
  const auto report = desk.launch(2);
  CHECK(report.stopped);
  CHECK(desk.scheduler.cancelled == std::vector<Lines>{{"id-a", "id-b"}});
  CHECK(desk.scheduler.submitted == Lines{"a", "b"});
  const auto end = desk.log().back();
  CHECK(end.run_id == "run-b");
  CHECK(end.outcome == RunOutcome::Cancelled);
  CHECK(end.exit_code == 143);
  CHECK(desk.watcher.last.failed == 0);
}

TEST_CASE("a second stop request is passed on once") {
  Desk desk({"a"});
  int asked = 0;
  desk.scheduler.on_status = [&] {
    desk.stop_requests = ++asked;
    if (desk.scheduler.cancelled.size() == 2 && asked > 5) desk.scheduler.end("a", 137);
  };
  CHECK(desk.launch().stopped);
  CHECK(desk.scheduler.cancelled.size() == 2);
  CHECK(desk.log().back().outcome == RunOutcome::Cancelled);
}

TEST_CASE("a scheduler that never confirms a cancellation is not waited for for ever") {
  Desk desk({"a"});
  desk.scheduler.on_status = [&] { desk.stop_requests = 1; };
  CHECK(desk.launch().stopped);
  CHECK(desk.clock.now_s == Approx(30).margin(0.5));
  CHECK(desk.log().back().outcome == RunOutcome::Cancelled);
}

TEST_CASE("a run that completes while it is being cancelled is completed") {
  Desk desk({"a"});
  desk.scheduler.on_status = [&] {
    if (desk.stop_requests > 0 && desk.scheduler.jobs["id-a"].state == JobState::Running) {
      desk.complete("a");
    }
    desk.stop_requests = 1;
  };
  CHECK(desk.launch().stopped);
  CHECK(desk.log().back().outcome == RunOutcome::Completed);
}

TEST_CASE("a job that a dead launcher left running is taken over, not submitted again") {
  Desk desk({"a"});
  desk.scheduler.on_status = [] { throw base::RunError("the launcher dies"); };
  CHECK_THROWS_AS(desk.launch(), base::RunError);
  desk.clock.now_s += 60;
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.submitted == Lines{"a"});
  CHECK(desk.events() == Lines{"submitted a", "started a", "ended a"});
}

TEST_CASE("a job that ended while no launcher watched is noted, and its run not repeated") {
  Desk desk({"a"});
  desk.scheduler.on_status = [] { throw base::RunError("the launcher dies"); };
  CHECK_THROWS_AS(desk.launch(), base::RunError);
  desk.clock.now_s += 60;
  desk.written.write_completed("run-a", desk.clock.unix_s());
  desk.scheduler.jobs.clear();
  CHECK(desk.launch().ended.empty());
  CHECK(desk.events() == Lines{"submitted a", "ended a"});
  CHECK(desk.log().back().outcome == RunOutcome::Completed);
}

TEST_CASE("a job that vanished with its launcher is noted as lost and run again") {
  Desk desk({"a"});
  desk.scheduler.on_status = [] { throw base::RunError("the launcher dies"); };
  CHECK_THROWS_AS(desk.launch(), base::RunError);
  desk.scheduler.jobs.clear();
  desk.let_jobs_complete();
  desk.launch();
  CHECK(desk.events() == Lines{"submitted a", "ended a", "submitted a", "started a", "ended a"});
  CHECK(desk.log()[1].outcome == RunOutcome::Lost);
  CHECK(desk.log()[1].reason == "no record of its end");
  CHECK(desk.log()[4].outcome == RunOutcome::Completed);
}

TEST_CASE("a refused submission leaves the log without a start") {
  Desk desk({"a"});
  desk.scheduler.refuse = true;
  CHECK_THROWS_WITH(desk.launch(), "the queue is closed");
  CHECK(desk.events() == Lines{"submitted a"});
}

TEST_CASE("a job that was too fast to be seen running is still noted as started") {
  Desk desk({"a"});
  desk.let_jobs_complete();
  desk.launch();
  CHECK(desk.log()[1].event == "started");
  CHECK(desk.log()[1].job_id == "id-a");
}

TEST_CASE("a job waits until those it comes after have ended, and others pass it") {
  Desk desk({"a", "b", "c"});
  desk.written.plan.jobs[0].after = {"b"};
  desk.let_jobs_complete();
  desk.launch(3);
  CHECK(desk.scheduler.submitted == Lines{"b", "c", "a"});
}

TEST_CASE("a job comes after a failed one, too, and after one that needed no run") {
  Desk desk({"a", "b", "c"});
  desk.written.plan.jobs[1].after = {"a"};
  desk.written.plan.jobs[2].after = {"b", "gone"};
  desk.written.write_completed("run-b", 10);
  desk.scheduler.on_status = [&] {
    for (const auto& [id, status] : std::map(desk.scheduler.jobs))
      desk.scheduler.end(id.substr(3), 1);
  };
  CHECK(desk.launch(2).ended.size() == 2);
  CHECK(desk.scheduler.submitted == Lines{"a", "c"});
}

TEST_CASE("jobs that wait for each other are an error, not a launcher that hangs") {
  Desk desk({"a", "b"});
  desk.written.plan.jobs[0].after = {"b"};
  desk.written.plan.jobs[1].after = {"a"};
  CHECK_THROWS_WITH(desk.launch(), "a waits for b, and none of the jobs that are left can start");
  CHECK(desk.scheduler.submitted.empty());
}

TEST_CASE("a job array is refused before anything is submitted") {
  Desk desk({"a", "b"});
  desk.written.plan.jobs[1].kind = contract::JobKind::array;
  CHECK_THROWS_WITH(desk.launch(), Catch::StartsWith("job b is an array"));
  CHECK(desk.scheduler.submitted.empty());
}

TEST_CASE("each run of a packed job is judged by its own results") {
  Desk desk({"a", "b"});
  desk.written.plan.jobs.resize(1);
  desk.written.plan.jobs[0].kind = contract::JobKind::packed;
  desk.written.plan.jobs[0].run_ids = {"run-a", "run-b"};
  desk.scheduler.on_status = [&] {
    if (desk.scheduler.jobs.at("id-a").state != JobState::Running) return;
    desk.written.write_completed("run-b", desk.clock.unix_s());
    desk.scheduler.end("a", 1);
  };
  const auto report = desk.launch();
  REQUIRE(report.ended.size() == 2);
  CHECK(report.ended[0].end.outcome == RunOutcome::Failed);
  CHECK(report.ended[1].end.outcome == RunOutcome::Completed);
  CHECK(desk.watcher.last.completed == 1);
  CHECK(desk.watcher.last.failed == 1);
}
