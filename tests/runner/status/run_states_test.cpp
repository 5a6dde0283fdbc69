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

TEST_CASE("a run nobody has started is planned") {
  CHECK(StatesDesk().state() == JobState::Planned);
}

TEST_CASE("the launch log's last word on a run counts") {
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

TEST_CASE("a run whose job was refused is as it was before") {
  const StatesDesk desk;
  desk.note("submitting");
  desk.note("refused");
  CHECK(desk.state() == JobState::Planned);
}

TEST_CASE("results of a completed launch count more than any log") {
  StatesDesk desk;
  desk.note("submitting");
  desk.note("ended", "t1", RunOutcome::Failed);
  desk.written.write_completed("run-a", 1);
  CHECK(desk.state() == JobState::Done);
}

TEST_CASE("without a log the run's own end counts, then what its script noted") {
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

TEST_CASE("a good exit counts where a program other than dlscale-train kept its output") {
  StatesDesk desk;
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":0})");
  CHECK(desk.state() == JobState::Failed);
  const auto launch = desk.written.folder.run("run-a").make_next_launch();
  CHECK(desk.state() == JobState::Failed);
  base::write_file_atomically(launch.out(), "epoch 1\n");
  CHECK(desk.state() == JobState::Done);
}

TEST_CASE("a run whose log is another program's is done when that ended well") {
  StatesDesk desk;
  desk.written.plan.runs[0].log_format = "timm";
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":0})");
  CHECK(desk.state() == JobState::Done);
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":1})");
  CHECK(desk.state() == JobState::Failed);
}

TEST_CASE("how the script says a run ended counts more than the exit code") {
  StatesDesk desk;
  desk.note_by_script(
      R"({"event":"ended","job":"a","run_id":"run-a","exit_code":1,"outcome":"TimedOut"})");
  CHECK(desk.state() == runner::state_of(RunOutcome::TimedOut));
}

TEST_CASE("of ranks that were told to stop the script knows why") {
  StatesDesk desk;
  contract::RunStop stop;
  stop.outcome = RunOutcome::Cancelled;
  desk.written.write_launch("run-a", 1, {stop});
  CHECK(desk.state() == runner::state_of(RunOutcome::Cancelled));
  desk.note_by_script(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":3})");
  CHECK(desk.state() == JobState::Failed);
}
