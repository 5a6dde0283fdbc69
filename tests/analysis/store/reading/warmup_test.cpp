// SPDX-License-Identifier: Apache-2.0
// Tests of the detection of the steady state from the windows of launches.
#include <catch2/catch.hpp>

#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/tables.hpp"
#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/cells.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;

/// Adds a run on one GPU with windows of 10 steps that take the times `wall_s`. The first window is
/// marked as warm-up.
void add_run(test::WrittenStudy& study, const std::vector<double>& wall_s, int repetition = 1) {
  const std::string run_id = study.plan_run("ddp", 1, repetition);
  contract::RunStart start;
  start.run_id = run_id;
  std::string text = contract::to_json_line(start) + "\n";
  for (std::size_t i = 0; i < wall_s.size(); ++i) {
    contract::StepWindow window;
    window.first_step = 10 * static_cast<std::int64_t>(i);
    window.steps = 10;
    window.samples = 640;
    window.warmup = i == 0;
    window.wall_s = wall_s[i];
    window.parts[2].mean = wall_s[i];
    window.comm_busy_s.mean = wall_s[i] / 4;
    text += contract::to_json_line(window) + "\n";
  }
  base::write_file_atomically(study.folder.run(run_id).make_next_launch().results(),
                              text + contract::to_json_line(contract::RunStop{}) + "\n");
}

}  // namespace

TEST_CASE("windows before the steady state are left out on request, and else reported") {
  test::WrittenStudy study;
  add_run(study, {20, 5, 3, 1, 1.01, 1, 0.99, 1, 1.2, 1});
  ingest(study.folder);
  const Frame marked = read_frame(study.folder);
  CHECK(marked.runs[0].warmup.late_windows == 2);
  CHECK(marked.runs[0].steps.steps == 90);
  CHECK(marked.runs[0].steps.comm_busy_s == Approx(marked.runs[0].steps.wall_s / 4));
  CHECK_THAT(describe_warmup(marked), Contains("in 1 of 1 run by up to 2 step windows"));
  CHECK_THAT(test::notes(efficiency_table(marked, {})), Contains("--warmup detected"));
  const Frame detected = read_frame(study.folder, WarmUp::Detected);
  CHECK(detected.runs[0].steps.steps == 70);
  CHECK(detected.runs[0].steps.wall_s == Approx(7.2));
  CHECK(detected.runs[0].steps.comm_busy_s == Approx(1.8));
  CHECK(detected.runs[0].spent.kept_s == Approx(marked.runs[0].spent.kept_s));
  CHECK_THAT(describe_warmup(detected), Contains("longer than the trainer marked, in 1 of 1 run"));
}

TEST_CASE("warm-up that a trainer marked sufficiently is kept") {
  test::WrittenStudy study;
  add_run(study, {1, 1, 1, 1, 1, 1, 1});  // the run is steady from the first window on
  ingest(study.folder);
  for (const WarmUp warmup : {WarmUp::Marked, WarmUp::Detected}) {
    const Frame frame = read_frame(study.folder, warmup);
    CHECK(frame.runs[0].warmup.late_windows == 0);
    CHECK(frame.runs[0].steps.steps == 60);
  }
  CHECK(describe_warmup(read_frame(study.folder)).empty());
}

TEST_CASE("runs that are never steady or too short keep the marked warm-up") {
  test::WrittenStudy study;
  add_run(study, {9, 1, 2, 1, 2, 1, 2, 1, 2});
  add_run(study, {9, 4, 2}, 2);
  ingest(study.folder);
  const Frame frame = read_frame(study.folder, WarmUp::Detected);
  CHECK(frame.runs[0].warmup.unsteady == 1);
  CHECK(frame.runs[0].steps.steps == 80);
  CHECK(frame.runs[1].warmup.unsteady == 0);
  CHECK(frame.runs[1].steps.steps == 20);
  CHECK_THAT(describe_warmup(frame), Contains("; 1 run never became that steady"));
  CHECK(describe_warmup(read_frame(study.folder)).empty());
}

}  // namespace dlscale::analysis
