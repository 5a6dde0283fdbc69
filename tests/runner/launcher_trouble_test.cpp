// SPDX-License-Identifier: Apache-2.0
// Tests of a launcher whose jobs end, fail or are cancelled.
#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "runner/status/cancel_requests.hpp"
#include "tests/runner/launch_desk.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobState;
using Desk = test::LaunchDesk;
using Lines = std::vector<std::string>;

TEST_CASE("a stop request cancels running jobs, logs them and submits no more jobs") {
  Desk desk({"a", "b", "c"});
  desk.scheduler.on_status = [&] {
    desk.stop_requests = 1;
    if (desk.scheduler.cancelled.empty()) return;
    desk.scheduler.end("a", 143);
    desk.scheduler.end("b", 143);
  };
  const auto report = desk.launch();
  CHECK(report.stopped);
  CHECK(desk.scheduler.cancelled == std::vector<Lines>{{"id-a", "id-b"}});
  CHECK(desk.scheduler.submitted == Lines{"a", "b"});
  const auto end = desk.log().back();
  CHECK(end.run_id == "run-b");
  CHECK(end.outcome == RunOutcome::Cancelled);
  CHECK(end.exit_code == 143);
  CHECK(desk.watcher.last.failed == 0);
}

TEST_CASE("a second stop request cancels the jobs once more") {
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

TEST_CASE("waiting for an unconfirmed cancellation ends after 30 s") {
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

TEST_CASE("a job left running by a dead launcher is followed and not submitted again") {
  Desk desk({"a"});
  desk.die();
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.submitted == Lines{"a"});
  CHECK(desk.events() == Lines{"submitting a", "submitted a", "started a", "ended a"});
}

TEST_CASE("a job that ended without a launcher is logged, and its run is not repeated") {
  Desk desk({"a"});
  desk.die();
  desk.complete("a");
  desk.launch();
  CHECK(desk.scheduler.submitted == Lines{"a"});
  CHECK(desk.log().back().outcome == RunOutcome::Completed);
}

TEST_CASE("the script log decides the outcome of a job that the batch system forgot") {
  Desk desk({"a", "b"});
  desk.die();
  for (auto& [id, status] : desk.scheduler.jobs) status = {JobState::Lost, {}, 0, ""};
  base::LineAppender(desk.written.folder.run_notes("run-b"))
      .append(R"({"event":"ended","job":"b","launch":"t2","run_id":"run-b","exit_code":5})");
  desk.orders = {{}, {"run-a", "run-b"}};
  desk.launch();
  const auto log = desk.log();
  CHECK(log[log.size() - 2].outcome == RunOutcome::Lost);
  CHECK(log[log.size() - 2].reason == "the end of the run was not recorded");
  CHECK(log.back().outcome == RunOutcome::Diverged);
}

TEST_CASE("a rejected submission is logged with the reason and not searched for later") {
  Desk desk({"a"});
  desk.scheduler.refuse = true;
  CHECK(desk.launch().refusals == std::set<std::string>{"the queue is closed"});
  CHECK(desk.events() == Lines{"submitting a", "refused a"});
  CHECK(desk.log().back().reason == "the queue is closed");
  desk.scheduler.refuse = false;
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.described.back().launch == "t2");
}

TEST_CASE("a rejected job does not block the other submissions") {
  Desk desk({"a", "b", "c"});
  desk.scheduler.on_submit = [](const runner::Job& job) {
    if (job.name == "c") return;
    throw base::RunError("job " + job.name + " was rejected: too wide");
  };
  desk.let_jobs_complete();
  const auto report = desk.launch();
  CHECK(report.submitted == 1);
  CHECK(desk.scheduler.submitted == Lines{"c"});
  CHECK(report.refused == std::set<std::string>{"run-a", "run-b"});
  CHECK(report.refusals == std::set<std::string>{"too wide"});
  CHECK(report.waiting == 0);
}

/// Limits the number of tasks that the batch system accepts at a time.
void limit_jobs(Desk& desk, std::size_t most) {
  desk.scheduler.on_submit = [&desk, most](const runner::Job& job) {
    const auto there =
        std::count_if(desk.scheduler.jobs.begin(), desk.scheduler.jobs.end(),
                      [](const auto& job) { return !runner::has_ended(job.second.state); });
    const std::size_t more = std::max<std::size_t>(job.tasks.size(), 1);
    if (static_cast<std::size_t>(there) + more > most)
      throw runner::SubmitLimitReached("one job too many");
  };
}

TEST_CASE("jobs above the limit of the batch system wait") {
  Desk desk({"a", "b", "c", "d"});
  desk.options.window = 0;
  limit_jobs(desk, 2);
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.size() == 4);
  CHECK(desk.scheduler.submitted == Lines{"a", "b", "c", "d"});
  CHECK(desk.watcher.lines ==
        Lines{"one job too many; waiting until the scheduler accepts more jobs"});
  const Lines events = desk.events();
  CHECK(std::count(events.begin(), events.end(), "refused c") == 1);  // single attempt
  CHECK(std::count(events.begin(), events.end(), "refused d") == 0);
}

TEST_CASE("an array above the limit is retried with half of its tasks, then a quarter") {
  Desk desk({"a", "b", "c", "d", "e"});
  desk.make_array();
  desk.options.window = 0;
  desk.options.until = runner::Until::looked;
  limit_jobs(desk, 3);
  CHECK(desk.launch().waiting == 3);
  REQUIRE(desk.scheduler.described.size() == 1);
  CHECK(desk.scheduler.described[0].tasks == std::vector{0, 1});
}

TEST_CASE("the launcher retries every minute at the job limit, except with --once") {
  Desk desk({"a"});
  desk.scheduler.jobs["other"] = {JobState::Running, {}, 0, ""};
  limit_jobs(desk, 1);
  desk.options.until = runner::Until::looked;
  CHECK(desk.launch().waiting == 1);
  desk.options.until = runner::Until::handed_over;
  const auto limit = desk.scheduler.on_submit;
  int asked = 0;
  desk.scheduler.on_submit = [&](const runner::Job& job) {
    if (++asked == 3) desk.scheduler.jobs.erase("other");
    limit(job);
  };
  const double before_s = desk.clock.now_s;
  CHECK(desk.launch().submitted == 1);
  CHECK(desk.clock.now_s - before_s == Approx(120).margin(1));
}

TEST_CASE("a pending submission of a dead launcher waits for the job limit") {
  Desk desk({"a"});
  desk.scheduler.on_submit = [](const runner::Job&) { throw std::runtime_error("dies"); };
  CHECK_THROWS_AS(desk.launch(), std::runtime_error);
  desk.scheduler.jobs["other"] = {JobState::Running, {}, 0, ""};
  limit_jobs(desk, 1);
  const auto limit = desk.scheduler.on_submit;
  desk.scheduler.on_submit = [&](const runner::Job& job) {
    if (job.launch == "t2") desk.scheduler.jobs.erase("other");
    limit(job);
  };
  desk.let_jobs_complete();
  desk.orders = {{}, {"run-a"}};  // orders of a command started after the launcher died
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.submitted == Lines{"a"});
}

TEST_CASE("a job with an unanswered submission is found or submitted again") {
  for (const bool taken : {true, false}) {
    Desk desk({"a"});
    const auto die = [](const runner::Job&) { throw std::runtime_error("the launcher dies"); };
    desk.scheduler.on_submit = die;
    CHECK_THROWS_AS(desk.launch(), std::runtime_error);
    desk.scheduler.on_submit = {};
    if (taken) desk.scheduler.jobs["id-a"] = {JobState::Running, {}, 0, ""};
    const double before_s = desk.clock.now_s;
    desk.let_jobs_complete();
    CHECK(desk.launch().ended.size() == 1);
    CHECK(desk.clock.now_s - before_s >= 3);  // time for a late submission to appear
    CHECK(desk.scheduler.submitted.size() == (taken ? 0 : 1));
    CHECK(desk.events() == Lines{"submitting a", "submitted a", "started a", "ended a"});
    for (const auto& record : desk.log()) CHECK(record.launch == "t1");
  }
}

TEST_CASE("a job known only from its script log counts as submitted") {
  Desk desk({"a"});
  base::LineAppender(desk.written.folder.launch_log())
      .append(R"({"event":"submitting","job":"a","launch":"x","runs":["run-a"],"time":1})");
  base::LineAppender(desk.written.folder.run_notes("run-a"))
      .append(R"({"event":"started","job":"a","launch":"x","run_id":"run-a","job_id":"77"})");
  desk.scheduler.jobs["77"] = {JobState::Lost, {}, 0, ""};
  desk.orders = {{}, {"run-a"}};
  desk.launch();
  CHECK(desk.scheduler.submitted.empty());
  CHECK(desk.log()[1].job_id == "77");
  CHECK(desk.log().back().outcome == RunOutcome::Lost);
}

TEST_CASE("an unreachable batch system is retried at growing intervals") {
  Desk desk({"a"});
  desk.scheduler.unreachable = true;
  CHECK_THROWS_AS(desk.launch(), runner::SchedulerUnreachable);
  CHECK(desk.clock.now_s == Approx(desk.options.unreachable_s).margin(1));
  REQUIRE(desk.watcher.lines.size() > 3);
  CHECK(desk.watcher.lines[2] == "the batch system is down; retrying in 4 s");
  CHECK(desk.events() == Lines{"submitting a"});
  desk.scheduler.unreachable = false;
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.submitted == Lines{"a"});
}

TEST_CASE("a run stopped at a checkpoint is resumed as long as it progresses") {
  Desk desk({"a"});
  int launches = 0;
  desk.scheduler.on_status = [&] {
    if (desk.scheduler.jobs.empty()) return;
    if (desk.scheduler.jobs.at("id-a").state != JobState::Running) return;
    contract::CheckpointRecord saved;
    saved.step = ++launches < 3 ? 10 * launches : 20;
    contract::RunStop stop;
    stop.outcome = RunOutcome::Preempted;
    contract::RunStart start;
    start.resumed_step = 10 * (launches - 1);
    const auto launch = desk.written.folder.run("run-a").make_next_launch();
    base::write_file_atomically(launch.results(), to_json_line(start) + "\n" + to_json_line(saved) +
                                                      "\n" + to_json_line(stop) + "\n");
    desk.scheduler.end("a", 99);
  };
  CHECK(desk.launch().ended.size() == 3);
  CHECK(desk.scheduler.submitted == Lines{"a", "a", "a"});
  CHECK(desk.log().back().outcome == RunOutcome::Preempted);
}

TEST_CASE("a job requeued by the batch system is followed under its new id") {
  Desk desk({"a"});
  int looks = 0;
  desk.scheduler.on_status = [&] {
    ++looks;
    auto& jobs = desk.scheduler.jobs;
    if (looks == 2) {
      jobs["id-a"] = {JobState::Failed, 99, 0, ""};
      jobs["id-a"].continued_as = "id-b";
      jobs["id-b"] = {JobState::Running, {}, 0, ""};
    }
    if (looks == 4) {
      desk.written.write_completed("run-a", desk.clock.unix_s());
      jobs["id-b"] = {JobState::Done, 0, 0, ""};
    }
  };
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.events() ==
        Lines{"submitting a", "submitted a", "started a", "requeued a", "started a", "ended a"});
  CHECK(desk.log().back().job_id == "id-b");
}

TEST_CASE("the usage and the nodes of a run are logged at its end") {
  Desk desk({"a"});
  desk.scheduler.used["id-a"] = {125.0, 480.0, 1000000};
  desk.scheduler.on_status = [&] {
    desk.complete("a");
    desk.scheduler.jobs["id-a"].nodes = {"node7"};
  };
  desk.launch();
  CHECK(desk.log().back().elapsed_s == 125);
  CHECK(desk.log().back().peak_memory_bytes == 1000000);
  CHECK(desk.log().back().nodes == Lines{"node7"});
}

TEST_CASE("a failed node is avoided in later launches of a run") {
  Desk desk({"a"});
  desk.options.avoid = {"node1"};
  desk.scheduler.on_status = [&] {
    desk.scheduler.jobs["id-a"] = {JobState::NodeFailed, {}, 0, "node failure"};
    desk.scheduler.jobs["id-a"].nodes = {"node7"};
  };
  desk.launch();
  desk.launch();
  CHECK(desk.scheduler.described[0].avoid == Lines{"node1"});
  CHECK(desk.scheduler.described[1].avoid == Lines{"node1", "node7"});
}

TEST_CASE("a cancel request explains the end of a run, and an old request is ignored") {
  Desk desk({"a", "b", "c"});
  desk.options.stop_jobs = false;
  // This request is older than the launch.
  runner::append_cancel_requests(desk.written.folder, {{"run-c", ""}}, desk.clock);
  desk.scheduler.on_status = [&] {
    if (desk.scheduler.submitted.size() != 2) return desk.complete("c");
    runner::append_cancel_requests(desk.written.folder, {{"run-a", "t1"}}, desk.clock);
    desk.scheduler.end("a", 143);
    desk.complete("b");
  };
  const auto report = desk.launch();
  REQUIRE(report.ended.size() == 3);
  CHECK(report.ended[0].end.outcome == RunOutcome::Cancelled);
  CHECK(report.ended[2].end.outcome == RunOutcome::Completed);
}

TEST_CASE("the launcher cancels a queued job once after a cancel request") {
  Desk desk({"a", "b"});
  int looks = 0;
  desk.scheduler.on_status = [&] {
    auto& waiting = desk.scheduler.jobs["id-b"];
    if (!desk.scheduler.cancelled.empty()) waiting.state = JobState::Cancelled;
    if (++looks == 1) waiting.state = JobState::Queued;
    if (looks != 2) return;
    runner::append_cancel_requests(desk.written.folder, {{"run-a", "t1"}, {"run-b", "t2"}},
                                   desk.clock);
    desk.scheduler.end("a", 143);
  };
  CHECK(desk.launch().ended.size() == 2);
  CHECK(desk.scheduler.cancelled == std::vector<Lines>{{"id-b"}});
  CHECK(desk.log().back().outcome == RunOutcome::Cancelled);
}

TEST_CASE("a queued job is cancelled on request before the next status request") {
  Desk desk({"a", "b"});
  desk.scheduler.on_submit = [&](const runner::Job& job) {
    if (job.name == "b")
      runner::append_cancel_requests(desk.written.folder, {{"run-b", "t2"}}, desk.clock);
  };
  desk.scheduler.on_status = [&] {
    REQUIRE(desk.scheduler.cancelled == std::vector<Lines>{{"id-b"}});
    desk.scheduler.jobs["id-b"].state = JobState::Cancelled;
    desk.complete("a");
  };
  CHECK(desk.launch().ended.size() == 2);
  CHECK(desk.log().back().outcome == RunOutcome::Cancelled);
}

TEST_CASE("the launcher does not cancel a running job for a cancel request") {
  Desk desk({"a"});
  int looks = 0;
  desk.scheduler.on_status = [&] {
    if (++looks == 2) {
      runner::append_cancel_requests(desk.written.folder, {{"run-a", "t1"}}, desk.clock);
    }
    if (looks == 4) desk.scheduler.end("a", 143);
  };
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.cancelled.empty());
}

TEST_CASE("runs with a cancel request before their submission are not submitted") {
  Desk desk({"a", "b"});
  desk.options.window = 1;
  desk.scheduler.on_status = [&] {
    runner::append_cancel_requests(desk.written.folder, {{"run-b", ""}}, desk.clock);
    desk.complete("a");
  };
  desk.launch();
  CHECK(desk.scheduler.submitted == Lines{"a"});
}

TEST_CASE("runs added at the end of a launch are submitted") {
  Desk desk({"a", "b"});
  desk.orders.submit = {"run-a"};
  desk.more = [asked = 0]() mutable {
    return asked++ == 0 ? std::set<std::string>{"run-b"} : std::set<std::string>{};
  };
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.size() == 2);
}
