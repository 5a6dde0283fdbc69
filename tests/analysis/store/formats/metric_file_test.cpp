// SPDX-License-Identifier: Apache-2.0
// Formats that are files of metrics: Lightning, Hugging Face, CSV tables, OpenMMLab, llm.c, DeiT.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/analysis/store/formats/log_reading.hpp"
#include "tests/analysis/store/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::EpochRecord;
using contract::EvalRecord;
using contract::StepWindow;

LogContent read_sample(const std::string& format) {
  for (const LogSample& sample : log_samples()) {
    if (sample.format == format) return read_log(format.c_str(), sample.text);
  }
  throw base::UsageError("no sample of " + format);
}

}  // namespace

TEST_CASE("lightning_csv: rows of validation are evaluations, there is no rate") {
  const LogContent log = read_sample("lightning_csv");
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 2);
  CHECK(evals[0].accuracy == 0.5);
  CHECK(evals[0].loss == 1.25);
  CHECK(evals[1].epoch == 1);
  CHECK(evals[1].metrics.at("val_f1") == 0.5);
  REQUIRE(all<EpochRecord>(log.file).size() == 1);
  CHECK(all<EpochRecord>(log.file)[0].train_loss == 1.5);
  CHECK(std::isnan(all<EpochRecord>(log.file)[0].wall_s));
  CHECK_FALSE(rate_of(log));
}

TEST_CASE("huggingface: the last entry has the whole training's rate") {
  const LogContent log = read_sample("huggingface");
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].steps == 200);
  CHECK(all<StepWindow>(log.file)[0].samples == 3200);
  CHECK(*rate_of(log) == Approx(64));
  REQUIRE(all<EvalRecord>(log.file).size() == 1);
  CHECK(all<EvalRecord>(log.file)[0].epoch == 0);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.625);
  CHECK(all<EvalRecord>(log.file)[0].wall_s == 2.5);
  CHECK(log.facts.at("epochs") == "2");
  CHECK(completed(log));
}

TEST_CASE("pytorch_csv: errors are told as accuracies") {
  const LogContent log = read_sample("pytorch_csv");
  CHECK(all<EvalRecord>(log.file)[1].accuracy == 0.5);
  CHECK(all<EvalRecord>(log.file)[1].metrics.at("top5_accuracy") == 0.75);
  CHECK(all<EpochRecord>(log.file)[1].train_loss == 4.0);
  const auto text = real_log("trainer-logs/pytorch-csv/mobilenet_v2_1.0_224/results.csv");
  if (!text) return;
  const LogContent published = read_log("pytorch_csv", *text);
  CHECK(all<EvalRecord>(published.file).size() == 401);
  CHECK(all<EvalRecord>(published.file).back().accuracy == Approx(0.721));
  REQUIRE(published.file.skipped.size() == 1);  // an epoch that was trained again after a restart
  CHECK(published.file.skipped[0].starts_with("line 60: what was told before, in 1 line"));
}

TEST_CASE("mmdet: a line's time is its steps' mean, averages of precision are no accuracy") {
  const LogContent log = read_sample("mmdet");
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[0].parts[0].mean == Approx(5));
  CHECK(windows[1].wall_s == Approx(12.5));
  CHECK(*rate_of(log) == Approx(50 * 64 / 12.5));
  CHECK(std::isnan(all<EvalRecord>(log.file)[0].accuracy));
  CHECK(all<EvalRecord>(log.file)[0].metrics.at("bbox_mAP") == 0.463);
  const auto text = real_log("trainer-logs/mmdet/mask_rcnn_vitaev2_s-480-800_adamw_1x_coco.out");
  if (!text) return;
  const LogContent published = read_log("mmdet", *text);
  CHECK(all<StepWindow>(published.file).size() == 1752);
  CHECK(all<EvalRecord>(published.file).size() == 12);
  CHECK(all<EvalRecord>(published.file).back().metrics.at("bbox_mAP") == 0.463);
}

TEST_CASE("llmc: losses by step, and neither rates nor accuracies") {
  const LogContent log = read_sample("llmc");
  CHECK(all<StepWindow>(log.file)[1].first_step == 1);
  CHECK(all<StepWindow>(log.file)[1].train_loss == 9.5);
  CHECK(all<EvalRecord>(log.file).back().metrics.at("step") == 2);
  CHECK_FALSE(rate_of(log));
  const auto text = real_log("trainer-logs/llmc/2024-06-06_AdamW.log");
  if (!text) return;
  const LogContent published = read_log("llmc", *text);
  CHECK(all<StepWindow>(published.file).size() == 9536);
  CHECK(all<EvalRecord>(published.file).back().loss == 3.275959);
}

TEST_CASE("deit: epochs with losses, accuracies where they were tested") {
  const LogContent log = read_sample("deit");
  CHECK(all<EpochRecord>(log.file)[0].epoch == 249);
  CHECK(all<EpochRecord>(log.file)[0].lr == 0.001);
  REQUIRE(all<EvalRecord>(log.file).size() == 1);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == Approx(0.785));
  CHECK(all<contract::RunStart>(log.file)[0].parameters == 11590840);
  const auto text = real_log("trainer-logs/deit/p2t-log-excerpt.jsonl");
  if (!text) return;
  const LogContent published = read_log("deit", *text);
  CHECK(all<EpochRecord>(published.file).size() == 11);
  CHECK(all<EvalRecord>(published.file)[0].accuracy == Approx(0.78836).epsilon(1e-5));
}

}  // namespace dlscale::analysis
