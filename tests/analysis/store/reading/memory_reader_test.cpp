// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/rank_reader.hpp"

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

void launch_with_peaks(test::WrittenStudy& study, const std::string& run_id,
                       const std::vector<double>& peaks, contract::RunOutcome outcome) {
  const contract::LaunchDir launch = study.folder.run(run_id).make_next_launch();
  contract::RunStart start;
  start.run_id = run_id;
  start.launch = launch.number();
  std::string text = contract::to_json_line(start) + "\n";
  for (const double peak : peaks) {
    contract::StepWindow window;
    window.steps = 10;
    window.samples = 640;
    window.wall_s = 1;
    window.peak_memory_bytes = peak;
    text += contract::to_json_line(window) + "\n";
  }
  contract::RunStop stop;
  stop.outcome = outcome;
  base::write_file_atomically(launch.results(), text + contract::to_json_line(stop) + "\n");
}

}  // namespace

TEST_CASE("the memory peak of a run is the maximum of the launch with its result") {
  using contract::RunOutcome;
  test::WrittenStudy study;
  const std::string told = study.plan_run("ddp", 1), untold = study.plan_run("ddp", 2);
  const std::string failed = study.plan_run("ddp", 4);
  launch_with_peaks(study, told, {9e9}, RunOutcome::Failed);
  launch_with_peaks(study, told, {1e9, 3e9, 2e9}, RunOutcome::Completed);
  launch_with_peaks(study, untold, {0, 0}, RunOutcome::Completed);
  launch_with_peaks(study, failed, {5e9}, RunOutcome::Failed);
  ingest(study.folder);
  CHECK(read_peak_memory(study.folder) == std::map<std::string, double>{{told, 3e9}});
}

TEST_CASE("peaks of a folder that was not collected are an error") {
  test::WrittenStudy study;
  CHECK_THROWS_AS(read_peak_memory(study.folder), base::RunError);
}

}  // namespace dlscale::analysis
