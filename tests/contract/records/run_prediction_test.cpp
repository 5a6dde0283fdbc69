// SPDX-License-Identifier: Apache-2.0
#include "contract/records/run_prediction.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::contract;

namespace {

RunPrediction made(double step_s = 0.1) {
  RunPrediction prediction{.point_id = "ddp-resnet50", .time = 1000, .gpus = 8};
  prediction.basis = "measured steps, measured all-reduces";
  prediction.step_s = {step_s, 0.9 * step_s, 1.2 * step_s};
  prediction.run_s = {3600, 3000, 4000};
  prediction.exposed_communication_s = 0.01;
  prediction.trainable_parameters = 25'557'032;
  prediction.train_samples = 1'281'167;
  return prediction;
}

}  // namespace

TEST_CASE("predictions are read as they were written, in the same order") {
  const std::string text = to_json_line(made(0.1)) + "\n" + to_json_line(made(0.2)) + "\n";
  const PredictionsFile file = parse_predictions(text);
  CHECK(file.skipped == 0);
  REQUIRE(file.predictions.size() == 2);
  CHECK(file.predictions[0] == made(0.1));
  CHECK(file.predictions[1] == made(0.2));
}

TEST_CASE("values that are not predicted are left out of the line") {
  CHECK(to_json_line(made()).find("memory_bytes") == std::string::npos);
  CHECK(to_json_line(made()).find("\"communication_s") == std::string::npos);
}

TEST_CASE("lines that are not predictions are counted and skipped") {
  const std::string good = to_json_line(made());
  const std::string text = "{}\nnonsense\n" + good + "\n\n" + good.substr(0, 40);
  const PredictionsFile file = parse_predictions(text);
  CHECK(file.skipped == 3);
  REQUIRE(file.predictions.size() == 1);
  CHECK(file.predictions[0] == made());
}

TEST_CASE("lines with impossible predictions are skipped") {
  RunPrediction upside_down = made();
  std::swap(upside_down.step_s.low, upside_down.step_s.high);
  CHECK(parse_predictions(to_json_line(upside_down)).skipped == 1);
  CHECK(parse_predictions(to_json_line(made(-1))).skipped == 1);
  RunPrediction negative = made();
  negative.communication_s = -1;
  CHECK(parse_predictions(to_json_line(negative)).skipped == 1);
  negative = made();
  negative.trainable_parameters = -1;
  CHECK(parse_predictions(to_json_line(negative)).skipped == 1);
  RunPrediction nobody = made();
  nobody.point_id.clear();
  CHECK(parse_predictions(to_json_line(nobody)).skipped == 1);
}

TEST_CASE("predictions that differ only in their time are the same") {
  RunPrediction later = made();
  later.time = 2000;
  CHECK(says_same(made(), later));
  CHECK_FALSE(says_same(made(0.1), made(0.2)));
}
