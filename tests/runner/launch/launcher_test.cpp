// SPDX-License-Identifier: Apache-2.0
// Tests of the jobs that a launcher submits and of the order in which it submits them.
#include "runner/launch/launcher.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/runner/launch_desk.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobState;
using Desk = test::LaunchDesk;
using Lines = std::vector<std::string>;

TEST_CASE("each job is logged before its submission, at its start and at its end") {
  Desk desk({"a"});
  Lines before_submission;
  desk.scheduler.on_submit = [&](const runner::Job&) { before_submission = desk.events(); };
  desk.let_jobs_complete();
  const auto report = desk.launch();
  CHECK(before_submission == Lines{"submitting a"});
  CHECK(desk.events() == Lines{"submitting a", "submitted a", "started a", "ended a"});
  CHECK(desk.scheduler.described[0].launch == desk.log()[0].launch);
  const auto end = desk.log().back();
  CHECK(end.run_id == "run-a");
  CHECK(end.job_id == "id-a");
  CHECK(end.outcome == RunOutcome::Completed);
  CHECK_FALSE(report.stopped);
  CHECK(report.ended.size() == 1);
}

TEST_CASE("the window limits the submitted jobs, and all jobs are run") {
  Desk desk({"a", "b", "c", "d", "e"});
  desk.let_jobs_complete();
  const auto report = desk.launch();
  CHECK(desk.scheduler.most_asked == 2);
  CHECK(desk.scheduler.submitted == Lines{"a", "b", "c", "d", "e"});
  CHECK(report.ended.size() == 5);
  CHECK(desk.watcher.last.completed == 5);
  CHECK(desk.watcher.last.total == 5);
}

TEST_CASE("completed runs are not run again") {
  Desk desk({"a", "b"});
  desk.written.write_completed("run-a", 10);
  desk.let_jobs_complete();
  const auto report = desk.launch();
  CHECK(desk.scheduler.submitted == Lines{"b"});
  CHECK(report.ended.size() == 1);
  CHECK(desk.watcher.last.completed == 2);
}

TEST_CASE("completed external runs are not submitted again unless they are repeated") {
  Desk desk({"a", "b"});
  for (auto& run : desk.written.plan.runs) run.log_format = "timm";
  desk.scheduler.on_status = [&] {
    for (auto& [id, status] : desk.scheduler.jobs) status = {JobState::Done, 0, 0, ""};
  };
  desk.launch();
  const std::string log = base::read_file(desk.written.folder.launch_log());
  CHECK(desk.launch().ended.empty());
  CHECK(base::read_file(desk.written.folder.launch_log()) == log);
  CHECK(desk.watcher.last.completed == 2);
  desk.orders.repeat = {"run-b"};
  CHECK(desk.launch().ended.size() == 1);
  CHECK(desk.scheduler.submitted == Lines{"a", "b", "b"});
  for (const auto& record : desk.log()) {
    const bool repeats = record.event == "submitting" && record.launch == "t3";
    CHECK(record.repeat == (repeats ? Lines{"run-b"} : Lines{}));
  }
}

TEST_CASE("a plan with only completed runs does not reach the scheduler") {
  Desk desk({"a"});
  desk.written.write_completed("run-a", 10);
  CHECK(desk.launch().ended.empty());
  CHECK(desk.scheduler.submitted.empty());
  CHECK(desk.events().empty());
}

TEST_CASE("a failed run is logged with its reason, and the other runs continue") {
  Desk desk({"a", "b"});
  desk.options.window = 1;
  desk.scheduler.on_status = [&] {
    base::write_file_atomically(desk.written.folder.job_err("a"), "no data in /data\n");
    if (desk.scheduler.jobs.count("id-a")) desk.scheduler.end("a", 3);
    if (desk.scheduler.jobs.count("id-b")) desk.complete("b");
  };
  const auto report = desk.launch();
  REQUIRE(report.ended.size() == 2);
  CHECK(report.ended[0].end.outcome == RunOutcome::Failed);
  CHECK(report.ended[0].end.reason == "no data in /data");
  CHECK(report.ended[0].end.details == desk.written.folder.job_err("a"));
  CHECK(report.ended[1].end.outcome == RunOutcome::Completed);
  CHECK(desk.log()[3].reason == "no data in /data");
  CHECK(desk.log()[3].exit_code == 3);
  CHECK(desk.watcher.last.failed == 1);
}

TEST_CASE("the next launcher retries a failed run") {
  Desk desk({"a"});
  desk.scheduler.on_status = [&] { desk.scheduler.end("a", 1); };
  desk.launch();
  desk.let_jobs_complete();
  CHECK(desk.launch().ended.at(0).end.outcome == RunOutcome::Completed);
  CHECK(desk.scheduler.submitted == Lines{"a", "a"});
}

TEST_CASE("a job that ends before the first status request is logged as started") {
  Desk desk({"a"});
  desk.let_jobs_complete();
  desk.launch();
  CHECK(desk.log()[2].event == "started");
  CHECK(desk.log()[2].job_id == "id-a");
}

TEST_CASE("a job waits for its predecessors, and other jobs overtake it") {
  Desk desk({"a", "b", "c"});
  desk.options.window = 3;
  desk.written.plan.jobs[0].after = {"b"};
  desk.let_jobs_complete();
  desk.launch();
  CHECK(desk.scheduler.submitted == Lines{"b", "c", "a"});
}

TEST_CASE("a job follows a failed job and a job that needed no run") {
  Desk desk({"a", "b", "c"});
  desk.written.plan.jobs[1].after = {"a"};
  desk.written.plan.jobs[2].after = {"b", "gone"};
  desk.written.write_completed("run-b", 10);
  desk.scheduler.on_status = [&] {
    for (const auto& [id, status] : std::map(desk.scheduler.jobs))
      desk.scheduler.end(id.substr(3), 1);
  };
  CHECK(desk.launch().ended.size() == 2);
  CHECK(desk.scheduler.submitted == Lines{"a", "c"});
}

TEST_CASE("jobs that wait for each other are an error") {
  Desk desk({"a", "b"});
  desk.written.plan.jobs[0].after = {"b"};
  desk.written.plan.jobs[1].after = {"a"};
  CHECK_THROWS_WITH(desk.launch(), "job a waits for b, and none of the remaining jobs can start");
  CHECK(desk.scheduler.submitted.empty());
}

TEST_CASE("a whole chain is submitted if the batch system supports dependencies") {
  Desk desk({"a", "b", "c"});
  desk.options.window = 0;
  desk.options.hand_over_chains = true;
  desk.written.plan.jobs[0].after = {"b"};
  desk.written.plan.jobs[2].after = {"a"};
  desk.options.until = runner::Until::handed_over;
  CHECK(desk.launch().submitted == 3);
  CHECK(desk.scheduler.submitted == Lines{"b", "a", "c"});
  CHECK(desk.scheduler.described[1].after == Lines{"id-b"});
  CHECK(desk.scheduler.described[2].after == Lines{"id-a"});
}

TEST_CASE("an array that exceeds the window is submitted in parts") {
  Desk desk({"a", "b", "c"});
  desk.make_array();
  desk.scheduler.on_status = [&] {
    for (auto& [id, status] : desk.scheduler.jobs) status = {JobState::Done, 0, 0, ""};
  };
  for (auto& run : desk.written.plan.runs) run.log_format = "timm";
  CHECK(desk.launch().ended.size() == 3);
  REQUIRE(desk.scheduler.described.size() == 2);
  CHECK(desk.scheduler.described[0].tasks == std::vector{0, 1});
  CHECK(desk.scheduler.described[1].tasks == std::vector{2});
  CHECK(desk.scheduler.most_asked == 2);
  CHECK(desk.log()[1].task_ids == Lines{"id-a_0", "id-a_1"});
  CHECK(desk.log()[2].runs == Lines{"run-a", "run-b"});  // runs that have started
}

TEST_CASE("only the remaining tasks of an array are submitted") {
  Desk desk({"a", "b", "c"});
  desk.make_array();
  desk.options.until = runner::Until::looked;
  desk.written.write_completed("run-b", 10);
  const auto report = desk.launch();
  CHECK(desk.scheduler.described.at(0).tasks == std::vector{0, 2});
  CHECK(report.queued == 2);
}

TEST_CASE("a launcher that polls once submits as many jobs as the window allows") {
  Desk desk({"a", "b", "c"});
  desk.options.until = runner::Until::looked;
  const auto report = desk.launch();
  CHECK(report.submitted == 2);
  CHECK(report.waiting == 1);
  desk.scheduler.end("a", 1);
  CHECK(desk.launch().submitted == 1);  // job a is submitted again
  CHECK(desk.scheduler.submitted == Lines{"a", "b", "a"});
}

TEST_CASE("a stopped launcher that does not own its jobs leaves them running") {
  Desk desk({"a", "b", "c"});
  desk.options.stop_jobs = false;
  desk.scheduler.on_status = [&] { desk.stop_requests = 1; };
  const auto report = desk.launch();
  CHECK(report.stopped);
  CHECK(report.queued == 2);
  CHECK(report.waiting == 1);
  CHECK(desk.scheduler.cancelled.empty());
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
