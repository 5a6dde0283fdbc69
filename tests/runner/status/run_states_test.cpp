// SPDX-License-Identifier: Apache-2.0
#include "runner/status/run_states.hpp"

#include <catch2/catch.hpp>

#include "contract/records/launch_record.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobState;

namespace {

struct StatesDesk {
  test::WrittenPlan written{{"a"}};
  JobState state() const { return runner::run_states(written.plan, written.folder).at("run-a"); }
  void note(const std::string& event, const std::string& launch = "t1",
            std::optional<RunOutcome> outcome = {}) const {
    contract::LaunchRecord record;
    record.event = event;
    record.job = "a";
    record.launch = launch;
    if (event == "submitting") record.runs = {"run-a"};
    if (event == "submitted") record.job_id = "7";
    record.outcome = outcome;
    base::LineAppender(written.folder.launch_log()).append(to_json_line(record));
  }
  void note_by_script(const std::string& line) const {
    base::LineAppender(written.folder.run_notes("run-a")).append(line);
  }
};

}  // namespace

TEST_CASE("a run that was never started is planned") {
  CHECK(StatesDesk().state() == JobState::Planned);
}

TEST_CASE("the last launch log record of a run determines its state") {
  const StatesDesk desk;
  desk.note("submitting");
  CHECK(desk.state() == JobState::Submitted);
  desk.note("submitted");
  CHECK(desk.state() == JobState::Submitted);
  desk.note("started");
  CHECK(desk.state() == JobState::Running);
  desk.note("requeued");
  CHECK(desk.state() == JobState::Queued);
  desk.note("ended", "t1", RunOutcome::OutOfMemory);
  CHECK(desk.state() == JobState::OutOfMemory);
  desk.note("submitting", "t2");
  CHECK(desk.state() == JobState::Submitted);
  desk.note("ended", "t1", RunOutcome::Failed);
  CHECK(desk.state() == JobState::Submitted);
}

TEST_CASE("a rejected job leaves the state of its run unchanged") {
  const StatesDesk desk;
  desk.note("submitting");
  desk.note("refused");
  CHECK(desk.state() == JobState::Planned);
}

TEST_CASE("results of a completed launch take precedence over logs") {
  StatesDesk desk;
  desk.note("submitting");
  desk.note("ended", "t1", RunOutcome::Failed);
  desk.written.write_completed("run-a", 1);
  CHECK(desk.state() == JobState::Done);
}

TEST_CASE("without a launch log the state comes from the results, then from the script log") {
  StatesDesk desk;
  desk.written.write_launch("run-a", 1);
  CHECK(desk.state() == JobState::Running);
  desk.note_by_script(
      R"({"event":"ended","job":"a","run_id":"run-a","job_id":"7","time":9,"exit_code":1})");
  CHECK(desk.state() == JobState::Failed);
  contract::RunStop stop;
  stop.outcome = RunOutcome::Diverged;
  desk.written.write_launch("run-a", 2, {stop});
  CHECK(desk.state() == runner::state_of(RunOutcome::Diverged));
}

TEST_CASE("exit code 0 means done for an external program that kept its output") {
  StatesDesk desk;
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":0})");
  CHECK(desk.state() == JobState::Failed);
  const auto launch = desk.written.folder.run("run-a").make_next_launch();
  CHECK(desk.state() == JobState::Failed);
  base::write_file_atomically(launch.out(), "epoch 1\n");
  CHECK(desk.state() == JobState::Done);
}

TEST_CASE("a run with a third-party log is done if its program exits with code 0") {
  StatesDesk desk;
  desk.written.plan.runs[0].log_format = "timm";
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":0})");
  CHECK(desk.state() == JobState::Done);
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":1})");
  CHECK(desk.state() == JobState::Failed);
}

TEST_CASE("the outcome in the script log takes precedence over the exit code") {
  StatesDesk desk;
  desk.note_by_script(
      R"({"event":"ended","job":"a","run_id":"run-a","exit_code":1,"outcome":"TimedOut"})");
  CHECK(desk.state() == runner::state_of(RunOutcome::TimedOut));
}

TEST_CASE("the script log explains stopped ranks") {
  StatesDesk desk;
  contract::RunStop stop;
  stop.outcome = RunOutcome::Cancelled;
  desk.written.write_launch("run-a", 1, {stop});
  CHECK(desk.state() == runner::state_of(RunOutcome::Cancelled));
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":3})");
  CHECK(desk.state() == JobState::Failed);
}
