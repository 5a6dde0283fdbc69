// SPDX-License-Identifier: Apache-2.0
#include "runner/run_states.hpp"

#include <catch2/catch.hpp>

#include "contract/launch_record.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using contract::RunOutcome;
using runner::JobState;

namespace {

struct Desk {
  test::WrittenPlan written{{"a"}};
  JobState state() const { return runner::run_states(written.plan, written.folder).at("run-a"); }
  void note(const std::string& event, const std::string& run_id = "",
            std::optional<RunOutcome> outcome = {}) const {
    base::LineAppender(written.folder.launch_log())
        .append(to_json_line(contract::LaunchRecord{event, "a", run_id, "1", 5, outcome}));
  }
};

}  // namespace

TEST_CASE("a run nobody has started is planned") {
  CHECK(Desk().state() == JobState::Planned);
}

TEST_CASE("the launch log's last word on a run or its job counts") {
  const Desk desk;
  desk.note("submitted");
  CHECK(desk.state() == JobState::Submitted);
  desk.note("started");
  CHECK(desk.state() == JobState::Running);
  desk.note("ended", "run-a", RunOutcome::OutOfMemory);
  CHECK(desk.state() == JobState::OutOfMemory);
  desk.note("submitted");
  CHECK(desk.state() == JobState::Submitted);
}

TEST_CASE("results of a completed launch count more than any log") {
  Desk desk;
  desk.note("ended", "run-a", RunOutcome::Failed);
  desk.written.write_completed("run-a", 1);
  CHECK(desk.state() == JobState::Done);
}

TEST_CASE("without a log the run's own end counts, then what its script noted") {
  Desk desk;
  desk.written.write_launch("run-a", 1);
  CHECK(desk.state() == JobState::Running);
  base::LineAppender(desk.written.folder.job_end("a"))
      .append(
          R"({"event":"ended","job":"a","run_id":"run-a","job_id":"7","time":9,"exit_code":1})");
  CHECK(desk.state() == JobState::Failed);
  contract::RunStop stop;
  stop.outcome = RunOutcome::Diverged;
  desk.written.write_launch("run-a", 2, {stop});
  CHECK(desk.state() == runner::state_of(RunOutcome::Diverged));
}

TEST_CASE("a good exit counts where a program other than dlscale-train kept its output") {
  Desk desk;
  base::LineAppender notes(desk.written.folder.job_end("a"));
  notes.append(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":0})");
  CHECK(desk.state() == JobState::Failed);
  const auto launch = desk.written.folder.run("run-a").make_next_launch();
  CHECK(desk.state() == JobState::Failed);
  base::write_file_atomically(launch.out(), "epoch 1\n");
  CHECK(desk.state() == JobState::Done);
}

TEST_CASE("a run whose log is another program's is done when that ended well") {
  Desk desk;
  desk.written.plan.runs[0].log_format = "timm";
  base::LineAppender notes(desk.written.folder.job_end("a"));
  notes.append(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":0})");
  CHECK(desk.state() == JobState::Done);
  notes.append(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":1})");
  CHECK(desk.state() == JobState::Failed);
}

TEST_CASE("how the script says a run ended counts more than the exit code") {
  Desk desk;
  base::LineAppender(desk.written.folder.job_end("a"))
      .append(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":1,"outcome":"TimedOut"})");
  CHECK(desk.state() == runner::state_of(RunOutcome::TimedOut));
}

TEST_CASE("of ranks that were told to stop the script knows why") {
  Desk desk;
  contract::RunStop stop;
  stop.outcome = RunOutcome::Cancelled;
  desk.written.write_launch("run-a", 1, {stop});
  CHECK(desk.state() == runner::state_of(RunOutcome::Cancelled));
  base::LineAppender(desk.written.folder.job_end("a"))
      .append(R"({"event":"ended","job":"a","run_id":"run-a","exit_code":3})");
  CHECK(desk.state() == JobState::Failed);
}
