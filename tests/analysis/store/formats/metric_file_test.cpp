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
  const auto evals = all_of<EvalRecord>(log);
  REQUIRE(evals.size() == 2);
  CHECK(evals[0].accuracy == 0.5);
  CHECK(evals[0].loss == 1.25);
  CHECK(evals[1].epoch == 1);
  CHECK(evals[1].metrics.at("val_f1") == 0.5);
  REQUIRE(all_of<EpochRecord>(log).size() == 1);
  CHECK(all_of<EpochRecord>(log)[0].train_loss == 1.5);
  CHECK(std::isnan(all_of<EpochRecord>(log)[0].wall_s));
  CHECK_FALSE(rate_of(log));
}

TEST_CASE("huggingface: the last entry has the whole training's rate") {
  const LogContent log = read_sample("huggingface");
  REQUIRE(all_of<StepWindow>(log).size() == 1);
  CHECK(all_of<StepWindow>(log)[0].steps == 200);
  CHECK(all_of<StepWindow>(log)[0].samples == 3200);
  CHECK(*rate_of(log) == Approx(64));
  REQUIRE(all_of<EvalRecord>(log).size() == 1);
  CHECK(all_of<EvalRecord>(log)[0].epoch == 0);
  CHECK(all_of<EvalRecord>(log)[0].accuracy == 0.625);
  CHECK(all_of<EvalRecord>(log)[0].wall_s == 2.5);
  CHECK(log.facts.at("epochs") == "2");
  CHECK(completed(log));
}

TEST_CASE("pytorch_csv: errors are told as accuracies") {
  const LogContent log = read_sample("pytorch_csv");
  CHECK(all_of<EvalRecord>(log)[1].accuracy == 0.5);
  CHECK(all_of<EvalRecord>(log)[1].metrics.at("top5_accuracy") == 0.75);
  CHECK(all_of<EpochRecord>(log)[1].train_loss == 4.0);
  const auto text = real_log("trainer-logs/pytorch-csv/mobilenet_v2_1.0_224/results.csv");
  if (!text) return;
  const LogContent published = read_log("pytorch_csv", *text);
  CHECK(all_of<EvalRecord>(published).size() == 402);
  CHECK(all_of<EvalRecord>(published).back().accuracy == Approx(0.721));
  CHECK(published.file.skipped.empty());
}

TEST_CASE("mmdet: a line's time is its steps' mean, averages of precision are no accuracy") {
  const LogContent log = read_sample("mmdet");
  const auto windows = all_of<StepWindow>(log);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[0].parts[0].mean == Approx(5));
  CHECK(windows[1].wall_s == Approx(12.5));
  CHECK(*rate_of(log) == Approx(50 * 64 / 12.5));
  CHECK(std::isnan(all_of<EvalRecord>(log)[0].accuracy));
  CHECK(all_of<EvalRecord>(log)[0].metrics.at("bbox_mAP") == 0.463);
  const auto text = real_log("trainer-logs/mmdet/mask_rcnn_vitaev2_s-480-800_adamw_1x_coco.out");
  if (!text) return;
  const LogContent published = read_log("mmdet", *text);
  CHECK(all_of<StepWindow>(published).size() == 1752);
  CHECK(all_of<EvalRecord>(published).size() == 12);
  CHECK(all_of<EvalRecord>(published).back().metrics.at("bbox_mAP") == 0.463);
}

TEST_CASE("llmc: losses by step, and neither rates nor accuracies") {
  const LogContent log = read_sample("llmc");
  CHECK(all_of<StepWindow>(log)[1].first_step == 1);
  CHECK(all_of<StepWindow>(log)[1].train_loss == 9.5);
  CHECK(all_of<EvalRecord>(log).back().metrics.at("step") == 2);
  CHECK_FALSE(rate_of(log));
  const auto text = real_log("trainer-logs/llmc/2024-06-06_AdamW.log");
  if (!text) return;
  const LogContent published = read_log("llmc", *text);
  CHECK(all_of<StepWindow>(published).size() == 9536);
  CHECK(all_of<EvalRecord>(published).back().loss == 3.275959);
}

TEST_CASE("deit: epochs with losses, accuracies where they were tested") {
  const LogContent log = read_sample("deit");
  CHECK(all_of<EpochRecord>(log)[0].epoch == 249);
  CHECK(all_of<EpochRecord>(log)[0].lr == 0.001);
  REQUIRE(all_of<EvalRecord>(log).size() == 1);
  CHECK(all_of<EvalRecord>(log)[0].accuracy == Approx(0.785));
  CHECK(all_of<contract::RunStart>(log)[0].parameters == 11590840);
  const auto text = real_log("trainer-logs/deit/p2t-log-excerpt.jsonl");
  if (!text) return;
  const LogContent published = read_log("deit", *text);
  CHECK(all_of<EpochRecord>(published).size() == 11);
  CHECK(all_of<EvalRecord>(published)[0].accuracy == Approx(0.78836).epsilon(1e-5));
}

}  // namespace dlscale::analysis
