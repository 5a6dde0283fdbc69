// SPDX-License-Identifier: Apache-2.0
#include "runner/status/launch_log.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using contract::LaunchRecord;
using runner::JobState;
using runner::LaunchHistory;

namespace {

using Lines = std::vector<std::string>;

LaunchRecord record(const std::string& event, const std::string& launch) {
  LaunchRecord made;
  made.event = event;
  made.job = "j";
  made.launch = launch;
  return made;
}

LaunchRecord intent(const std::string& launch, const Lines& runs) {
  LaunchRecord made = record("submitting", launch);
  made.runs = runs;
  return made;
}

LaunchRecord taken(const std::string& launch, const std::string& id, const Lines& tasks = {}) {
  LaunchRecord made = record("submitted", launch);
  made.job_id = id;
  made.task_ids = tasks;
  return made;
}

LaunchRecord about(const std::string& event, const std::string& launch, const std::string& run) {
  LaunchRecord made = record(event, launch);
  made.run_id = run;
  return made;
}

}  // namespace

TEST_CASE("a submission without an answer is open") {
  const LaunchHistory history({intent("t", {"r"})});
  REQUIRE(history.submissions().size() == 1);
  CHECK(history.submissions()[0].id.empty());
  CHECK_FALSE(history.submissions()[0].is_over());
  CHECK(history.last_entry("r")->state == JobState::Submitted);
}

TEST_CASE("tasks have their own ids and end separately") {
  LaunchHistory history({intent("t", {"r0", "r1"}), taken("t", "9", {"9_0", "9_1"})});
  CHECK(history.last_entry("r1")->id == "9_1");
  history.add_record(about("ended", "t", "r0"));
  CHECK_FALSE(history.submissions()[0].is_over());
  history.add_record(about("ended", "t", "r1"));
  CHECK(history.submissions()[0].is_over());
}

TEST_CASE("a record applies to its listed runs, or to all runs without a list") {
  LaunchHistory history({intent("t", {"r0", "r1", "r2"}), taken("t", "9")});
  LaunchRecord started = record("started", "t");
  started.runs = {"r0", "r2"};
  history.add_record(started);
  CHECK(history.last_entry("r1")->state == JobState::Submitted);
  CHECK(history.last_entry("r2")->state == JobState::Running);
  history.add_record(record("started", "t"));
  CHECK(history.last_entry("r1")->state == JobState::Running);
}

TEST_CASE("a requeued job is queued under its new id") {
  LaunchHistory history({intent("t", {"r"}), taken("t", "9"), record("started", "t")});
  LaunchRecord again = record("requeued", "t");
  again.job_id = "10";
  history.add_record(again);
  CHECK(history.last_entry("r")->state == JobState::Queued);
  CHECK(history.submissions()[0].runs[0].id == "10");
}

TEST_CASE("records of an earlier submission do not change the latest state") {
  const LaunchHistory history({intent("t1", {"r"}), taken("t1", "1"), intent("t2", {"r"}),
                               taken("t2", "2"), about("ended", "t1", "r")});
  CHECK(history.last_entry("r")->state == JobState::Submitted);
  CHECK(history.last_entry("r")->submissions == 2);
  CHECK(history.submissions()[0].is_over());
}

TEST_CASE("records without a submitting record are skipped") {
  const LaunchHistory history({taken("t", "9"), about("ended", "t", "r")});
  CHECK(history.submissions().empty());
  CHECK(history.last_entry("r") == nullptr);
}

TEST_CASE("the number of earlier launches is kept with a submission") {
  LaunchRecord begin = intent("t", {"r0", "r1"});
  begin.launches = {0, 3};
  const LaunchHistory history({begin});
  CHECK(history.submissions()[0].runs[1].earlier_launches == 3);
}
