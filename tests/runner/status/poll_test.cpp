// SPDX-License-Identifier: Apache-2.0
#include "runner/status/poll.hpp"

#include <catch2/catch.hpp>
#include <optional>

#include "tests/runner/fake_scheduler.hpp"
#include "tests/runner/written_plan.hpp"
#include "tests/support/fake_clock.hpp"

using namespace dlscale;
using runner::JobState;

namespace {

/// Plan with the submitted jobs a and b, and the job c that is not submitted.
struct Desk {
  Desk() {
    base::LineAppender log(written.folder.launch_log());
    for (const std::string job : {"a", "b"}) {
      log.append(R"({"event":"submitting","job":")" + job + R"(","launch":"t)" + job +
                 R"(","runs":["run-)" + job + R"("]})");
      log.append(R"({"event":"submitted","job":")" + job + R"(","launch":"t)" + job +
                 R"(","job_id":"id-)" + job + R"("})");
    }
    scheduler.jobs["id-a"] = {JobState::Queued, {}, 0, "Priority"};
    scheduler.jobs["id-b"] = {JobState::Failed, 3, 0, ""};
  }
  runner::PolledRuns poll(runner::LaunchLog* log) {
    return runner::poll(written.plan, written.folder, {scheduler, clock, log, followed});
  }

  test::WrittenPlan written{{"a", "b", "c"}};
  test::FakeClock clock;
  test::FakeScheduler scheduler;
  bool followed = false;
};

}  // namespace

TEST_CASE("polling returns the states of the batch system and logs ended runs") {
  Desk desk;
  runner::LaunchLog log(desk.written.folder.launch_log(), desk.clock);
  const auto runs = desk.poll(&log);
  CHECK(runs.at("run-a").state == JobState::Queued);
  CHECK(runs.at("run-a").reason == "Priority");
  CHECK(runs.at("run-a").id == "id-a");
  CHECK(runs.at("run-b").state == JobState::Failed);
  CHECK(runs.at("run-c").state == JobState::Planned);
  CHECK(log.records().back().event == "ended");
  CHECK(desk.scheduler.most_asked == 2);
  desk.scheduler.most_asked = 0;
  desk.poll(&log);
  CHECK(desk.scheduler.most_asked == 1);
}

TEST_CASE("polling without a log returns the same states") {
  Desk desk;
  const std::string before = base::read_file(desk.written.folder.launch_log());
  CHECK(desk.poll(nullptr).at("run-b").state == JobState::Failed);
  CHECK(base::read_file(desk.written.folder.launch_log()) == before);
  CHECK(runner::states_in_files(desk.written.plan, desk.written.folder).at("run-b").state ==
        JobState::Submitted);
}

TEST_CASE("jobs known only to another program have the states in its log") {
  Desk desk;
  for (auto& [id, status] : desk.scheduler.jobs) status = {JobState::Lost, {}, 0, "unknown job"};
  CHECK(desk.poll(nullptr).at("run-a").state == JobState::Lost);
  base::LineAppender(desk.written.folder.launch_log())
      .append(R"({"event":"started","job":"b","launch":"tb"})");
  desk.followed = true;
  const auto runs = desk.poll(nullptr);
  CHECK(runs.at("run-a").state == JobState::Queued);
  CHECK(runs.at("run-a").reason.empty());
  CHECK(runs.at("run-b").state == JobState::Running);
}

TEST_CASE("the batch system is not asked if no jobs are submitted") {
  Desk desk;
  desk.scheduler.unreachable = true;
  CHECK_THROWS_AS(desk.poll(nullptr), runner::SchedulerUnreachable);
  std::filesystem::remove(desk.written.folder.launch_log());
  CHECK(desk.poll(nullptr).at("run-a").state == JobState::Planned);
}
