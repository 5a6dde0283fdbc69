// SPDX-License-Identifier: Apache-2.0
// Tests of the progress of external runs, which dlscale reads through their log format.
#include "workspace/runs/run_progress.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "tests/runner/written_plan.hpp"

using namespace dlscale;
using runner::JobState;

namespace {

/// Returns a line that timm writes during an epoch of 20 steps.
std::string timm_step(int epoch, int step) {
  return "Train: " + std::to_string(epoch) + " [" + (step < 10 ? "   " : "  ") +
         std::to_string(step) +
         "/20 (  0%)]  Loss:  6.5 (6.75)  Time: 0.500s, 16.00/s  (0.500s, 16.00/s)  LR: 1.000e-02  "
         "Data: 0.001 (0.002)\n";
}

struct ExternalRun {
  test::WrittenPlan written = test::WrittenPlan({"a"});
  contract::PlannedRun& run = written.plan.runs[0];

  ExternalRun() {
    run.log_format = "timm";
    run.epochs = 4;
    contract::RunSpec spec;
    spec.run_id = run.run_id;
    spec.batch_per_gpu = spec.global_batch = 8;
    base::write_file_atomically(written.folder.run(run.run_id).run_json(), to_json(spec));
  }
  void print(const std::string& text) const {
    base::write_file_atomically(written.folder.run(run.run_id).make_next_launch().out(), text);
  }
  workspace::RunProgress progress(JobState state, double started_at = 1000) const {
    runner::PolledRun polled;
    polled.state = state;
    polled.started_at = started_at;
    return workspace::read_progress(written.folder, run, polled, 1100);
  }
  void note(const std::string& event, int time) const {
    base::LineAppender(written.folder.run_notes(run.run_id))
        .append(R"({"event":")" + event + R"(","job":"a","launch":"t","run_id":")" + run.run_id +
                R"(","job_id":"47","time":)" + std::to_string(time) + "}");
  }
};

}  // namespace

TEST_CASE("the epoch and the share of a running external run come from its log") {
  const ExternalRun external;
  external.print(timm_step(0, 0) + timm_step(0, 19) + timm_step(1, 0) + timm_step(1, 9));
  const workspace::RunProgress progress = external.progress(JobState::Running);
  CHECK(progress.epoch == 1);
  CHECK(progress.epochs == 4);
  CHECK(progress.elapsed_s == 100);
  CHECK(progress.share == Approx(1.5 / 4));
}

TEST_CASE("an external run without output has no progress yet") {
  const ExternalRun external;
  external.print("loading data\n");
  const workspace::RunProgress progress = external.progress(JobState::Running);
  CHECK_FALSE(progress.epoch);
  CHECK(progress.share == 0);
  CHECK(progress.elapsed_s == 100);
}

TEST_CASE("a failed external run keeps the epoch that its log shows") {
  const ExternalRun external;
  external.print(timm_step(0, 19) + timm_step(1, 19) + "ValueError: bad\n");
  CHECK(external.progress(JobState::Failed).epoch == 2);
}

TEST_CASE("the job script tells the times of an external run that was submitted by hand") {
  ExternalRun external;
  external.print(timm_step(0, 19));
  external.note("started", 1000);
  CHECK(external.progress(JobState::Running, 0).elapsed_s == 100);
  external.note("ended", 1060);
  external.run.epochs = 0;
  CHECK(external.progress(JobState::Done, 0).elapsed_s == 60);
}
