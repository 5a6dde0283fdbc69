// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/reading/window_reader.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/store/ingest.hpp"
#include "base/error.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {
namespace {

contract::StepWindow window_at(std::int64_t first_step, double train_loss) {
  contract::StepWindow window;
  window.epoch = static_cast<int>(first_step / 20);
  window.first_step = first_step;
  window.steps = 10;
  window.wall_s = 2;
  window.train_loss = train_loss;
  return window;
}

void write_launch(const test::WrittenStudy& study, const contract::RunStart& start,
                  const std::vector<contract::StepWindow>& windows) {
  const contract::LaunchDir launch = study.folder.run(start.run_id).make_next_launch();
  std::string text = contract::to_json_line(start) + "\n";
  for (const contract::StepWindow& window : windows) text += contract::to_json_line(window) + "\n";
  base::write_file_atomically(launch.results(),
                              text + contract::to_json_line(contract::RunStop{}) + "\n");
}

}  // namespace

TEST_CASE("step windows have the loss of each step once, although a resumed launch repeated some") {
  test::WrittenStudy study;
  const std::string run_id = study.plan_run("ddp", 1);
  write_launch(study, {.run_id = run_id}, {window_at(0, 4), window_at(10, 3), window_at(20, 9)});
  write_launch(study,
               {.run_id = run_id, .launch = 2, .resumed_from = "launch-1", .resumed_step = 20},
               {window_at(20, 2), window_at(30, 1)});
  ingest(study.folder);
  const auto losses = read_window_losses(study.folder, {run_id});
  REQUIRE(losses.size() == 1);
  std::vector<double> values;
  for (const WindowLoss& window : losses.at(run_id)) values.push_back(window.train_loss);
  CHECK(values == std::vector<double>{4, 3, 2, 1});
  CHECK(losses.at(run_id)[3].first_step == 30);
  CHECK(losses.at(run_id)[3].epoch == 1);
  CHECK(losses.at(run_id)[3].steps == 10);
  CHECK(losses.at(run_id)[3].wall_s == 2);
}

TEST_CASE("only windows of the requested runs that recorded a loss are read") {
  test::WrittenStudy study;
  const std::string read = study.plan_run("ddp", 1), silent = study.plan_run("ddp", 2);
  const std::string other = study.plan_run("ddp", 4);
  write_launch(study, {.run_id = read}, {window_at(0, NAN), window_at(10, 3)});
  write_launch(study, {.run_id = silent}, {window_at(0, NAN)});
  write_launch(study, {.run_id = other}, {window_at(0, 1)});
  ingest(study.folder);
  const auto losses = read_window_losses(study.folder, {read, silent, "no-such-run"});
  REQUIRE(losses.size() == 1);
  REQUIRE(losses.at(read).size() == 1);
  CHECK(losses.at(read)[0].train_loss == 3);
}

TEST_CASE("window losses of a folder that was not collected are an error") {
  const test::WrittenStudy study;
  CHECK_THROWS_AS(read_window_losses(study.folder, {"x"}), base::RunError);
}

}  // namespace dlscale::analysis
