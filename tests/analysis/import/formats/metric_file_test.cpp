// SPDX-License-Identifier: Apache-2.0
// Tests of the formats of metric files: Lightning, Hugging Face, CSV tables, OpenMMLab, llm.c,
// DeiT.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

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

TEST_CASE("lightning_csv: validation rows are evaluations, and there are no rates") {
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

TEST_CASE("huggingface: the last entry has the rate of the complete training") {
  const LogContent log = read_sample("huggingface");
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].steps == 200);
  CHECK(all<StepWindow>(log.file)[0].samples == 12800);
  CHECK(*rate_of(log) == Approx(256));
  REQUIRE(all<EvalRecord>(log.file).size() == 1);
  CHECK(all<EvalRecord>(log.file)[0].epoch == 0);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.625);
  CHECK(all<EvalRecord>(log.file)[0].wall_s == 2.5);
  CHECK(log.facts.at("epochs") == "2");
  CHECK(completed(log));
}

namespace {

/// Returns a history of 1,000 steps with a loss of `loss` every 100 steps, and the entry `end`,
/// which train() logs at the end.
std::string state_of(const std::string& end, double loss = 1.5, const std::string& more = "") {
  std::string text = "{\n  \"global_step\": 1000,\n  \"log_history\": [\n";
  for (int step = 100; step <= 1000; step += 100) {
    text += "    {\n      \"epoch\": " + std::to_string(step / 250.0) +
            ",\n      \"loss\": " + std::to_string(loss) +
            ",\n      \"step\": " + std::to_string(step) + "\n    },\n";
  }
  return text + more + "    {\n      \"epoch\": 4.0,\n      \"step\": 1000,\n" + end +
         "\n    }\n  ],\n  \"max_steps\": 1000,\n  \"train_batch_size\": 32\n}\n";
}

std::string end_of_training(const std::string& loss, const std::string& runtime,
                            const std::string& samples, const std::string& steps) {
  return "      \"train_loss\": " + loss + ",\n      \"train_runtime\": " + runtime +
         ",\n      \"train_samples_per_second\": " + samples +
         (steps.empty() ? "" : ",\n      \"train_steps_per_second\": " + steps);
}

void check_no_rate(const std::string& text, const std::string& why) {
  const LogContent log = read_log("huggingface", text, run_of(1, 32));
  INFO(why);
  CHECK_FALSE(rate_of(log));
  REQUIRE_FALSE(log.file.skipped.empty());
  CHECK_THAT(log.file.skipped[0], Catch::Contains(why));
  CHECK(all<StepWindow>(log.file).at(0).steps == 1000);
  CHECK(completed(log));
}

}  // namespace

TEST_CASE("huggingface: a training without a resume has the rate of all its steps") {
  const std::string text = state_of(end_of_training("1.5", "500.0", "64.0", "2.0"));
  const LogContent log = read_log("huggingface", text, run_of(1, 32));
  CHECK(*rate_of(log) == Approx(64));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("huggingface: a resumed training has no rate, for each sign of the resume") {
  // Hugging Face Transformers up to version 5.0 divides the samples of all steps by the time since
  // the resume.
  check_no_rate(state_of(end_of_training("0.15", "50.0", "640.0", "20.0")),
                "seems to have been resumed: train_loss is 0.15 over 1000 steps");
  check_no_rate(state_of(end_of_training("1.35", "450.0", "71.11", "2.222")),
                "train_loss is 1.35 over 1000 steps");  // the training was resumed at step 100
  // Later versions of Transformers divide the steps since the resume by the time since the resume.
  check_no_rate(state_of(end_of_training("1.5", "50.0", "64.0", "2.0")),
                "train_steps_per_second counts only 100 of all 1000 steps");
  // The log states no losses before the resume, but it states evaluations.
  const std::string eval =
      "    {\n      \"epoch\": 2.0,\n      \"eval_loss\": 1.0,\n"
      "      \"eval_runtime\": 80.0,\n      \"step\": 500\n    },\n";
  check_no_rate(state_of(end_of_training("0.0", "50.0", "640.0", "20.0"), 0.0, eval),
                "its evaluations took 80 s, but train_runtime is 50 s");
}

TEST_CASE("huggingface: a training that stopped early has no rate") {
  check_no_rate(state_of(end_of_training("1.5", "500.0", "128.0", "4.0")),
                "divides 2000 steps by the runtime, but the training stopped after 1000");
}

TEST_CASE("huggingface: samples that contradict the global batch give no rate") {
  const std::string text = state_of(end_of_training("1.5", "500.0", "64.0", "2.0"));
  const LogContent log = read_log("huggingface", text, run_of(4, 32));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("global batch 128") &&
                                      Catch::Contains("128000 samples") &&
                                      Catch::Contains("32000 samples"));
}

TEST_CASE("huggingface: fewer samples than in the batch of one process give no rate") {
  const std::string text = state_of(end_of_training("1.5", "500.0", "16.0", "2.0"));
  const LogContent log = read_log("huggingface", text, run_of(1, 0));
  CHECK_FALSE(rate_of(log));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("train_batch_size of 32"));
}

TEST_CASE("huggingface: versions without steps per second count steps as samples") {
  const std::string text = state_of(end_of_training("1.5", "500.0", "2.0", ""));
  CHECK(*rate_of(read_log("huggingface", text, run_of(1, 32))) == Approx(64));
  const LogContent unknown = read_log("huggingface", text, run_of(1, 0));
  CHECK_FALSE(rate_of(unknown));
  CHECK_THAT(unknown.file.skipped.at(0), Catch::Contains("counts steps in this version"));
}

TEST_CASE("huggingface: a smaller last step of an epoch is not a contradiction") {
  // An epoch has 100 samples in 2 steps, and there are 500 epochs.
  std::string text = state_of(end_of_training("1.5", "500.0", "100.0", "2.0"));
  for (std::size_t at = 0; (at = text.find("\"epoch\": 4.0", at)) != text.npos; ++at) {
    text.replace(at, 12, "\"epoch\": 500.0");
  }
  CHECK(*rate_of(read_log("huggingface", text, run_of(1, 64))) == Approx(100));
}

TEST_CASE("huggingface: a training continued after its end keeps the rate of its first part") {
  const std::string end = end_of_training("1.5", "500.0", "64.0", "2.0");
  const std::string first =
      "    {\n      \"epoch\": 4.0,\n      \"step\": 1000,\n" + end + "\n    },\n";
  const LogContent log = read_log("huggingface", state_of(end, 1.5, first), run_of(1, 32));
  CHECK(*rate_of(log) == Approx(64));
  CHECK(all<StepWindow>(log.file).size() == 1);
  CHECK_THAT(log.file.skipped.at(0), Catch::Contains("the training ended at step 1000 and was "
                                                     "resumed later"));
}

TEST_CASE("huggingface: the cost of an evaluation is not a metric of the model") {
  const std::string eval =
      "    {\n      \"epoch\": 2.0,\n      \"eval_loss\": 1.0,\n      \"eval_rouge1\": 0.25,\n"
      "      \"eval_model_preparation_time\": 0.1,\n      \"eval_mem_cpu_alloc_delta\": 4096,\n"
      "      \"eval_de_runtime\": 8.0,\n      \"step\": 500\n    },\n";
  const LogContent log =
      read_log("huggingface", state_of(end_of_training("1.5", "500.0", "64.0", "2.0"), 1.5, eval),
               run_of(1, 32));
  CHECK(all<EvalRecord>(log.file).at(0).metrics == std::map<std::string, double>{{"rouge1", 0.25}});
}

TEST_CASE("lightning_csv: rows with the same epoch and step are one evaluation") {
  const LogContent log = read_log("lightning_csv",
                                  "epoch,step,val_acc,val_loss,val_f1\n0,99,,1.5,\n0,99,0.5,,\n"
                                  "0,99,,,0.25\n1,199,0.75,,\n1,199,0.75,1.25,\n");
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 2);
  CHECK(evals[0].accuracy == 0.5);
  CHECK(evals[0].loss == 1.5);
  CHECK(evals[0].metrics.at("val_f1") == 0.25);
  CHECK(evals[1].accuracy == 0.75);
  CHECK(evals[1].loss == 1.25);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("lightning_csv: a repeated row of a step is reported, and the first row is used") {
  const LogContent log =
      read_log("lightning_csv", "epoch,step,val_acc\n0,99,0.5\n0,99,0.625\n0,99,0.5\n");
  REQUIRE(all<EvalRecord>(log.file).size() == 1);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.5);
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0], Catch::Contains("line 3: repeated entries in 2 lines"));
}

TEST_CASE("lightning_csv: rows without an epoch are counted if they have losses or metrics") {
  const LogContent log = read_log("lightning_csv",
                                  "epoch,step,val_acc,lr-SGD\n,9,,0.1\n,99,0.5,\n0,99,0.25,\n"
                                  ",199,0.75,\n,199,,0.1\n");
  CHECK(all<EvalRecord>(log.file).size() == 1);
  CHECK(log.file.skipped ==
        std::vector<std::string>{"line 3: 2 rows with losses or metrics have no epoch and do "
                                 "not enter the results"});
  const LogContent one = read_log("lightning_csv", "epoch,step,val_acc\n,99,0.5\n");
  CHECK(one.file.skipped ==
        std::vector<std::string>{"line 2: 1 row with losses or metrics has no epoch and does "
                                 "not enter the results"});
}

TEST_CASE("lightning_csv: values of epochs are evaluations, and values of batches are not") {
  const LogContent log =
      read_log("lightning_csv",
               "epoch,lr-SGD,step,train_loss_epoch,train_loss_step,val_acc_epoch,val_acc_step,"
               "val_loss_epoch,val_loss_step\n"
               ",0.1,0,,,,,,\n0,,49,,2.0,,,,\n0,,0,,,,0.5,,1.0\n0,,1,,,,0.9,,1.4\n"
               "0,,99,,,0.7,,1.2,\n0,,99,1.9,,,,,\n1,,150,,,,0.6,,1.3\n1,,199,,,0.8,,1.1,\n");
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 2);
  CHECK(evals[0].accuracy == 0.7);
  CHECK(evals[0].loss == 1.2);
  CHECK(evals[1].epoch == 1);
  CHECK(evals[1].accuracy == 0.8);
  CHECK(all<EpochRecord>(log.file).at(0).train_loss == 1.9);
}

TEST_CASE("lightning_csv: the various names of validation columns are recognised") {
  for (const std::string name : {"val_acc", "val/accuracy", "valid_acc", "validation/top1",
                                 "val-acc", "val_acc_top1", "Val/Acc", "val/acc_epoch"}) {
    INFO(name);
    const LogContent log = read_log("lightning_csv", "epoch,step," + name + "\n0,9,0.5\n");
    REQUIRE(all<EvalRecord>(log.file).size() == 1);
    CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.5);
  }
  for (const std::string name :
       {"value_loss", "train_acc", "val_acc_step", "val_loss_step/epoch_0", "valuation"}) {
    INFO(name);
    CHECK(all<EvalRecord>(read_log("lightning_csv", "epoch,step," + name + "\n0,9,0.5\n").file)
              .empty());
  }
  const LogContent sets =
      read_log("lightning_csv", "epoch,step,val_acc/dataloader_idx_0\n0,9,0.5\n");
  CHECK(std::isnan(all<EvalRecord>(sets.file).at(0).accuracy));
}

TEST_CASE("lightning_csv: a single accuracy above 1 means that all are percentages") {
  const LogContent log =
      read_log("lightning_csv", "epoch,step,val_acc\n0,9,0.9\n1,19,10.5\n2,29,76.5\n");
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 3);
  CHECK(evals[0].accuracy == Approx(0.009));
  CHECK(evals[2].accuracy == Approx(0.765));
  CHECK_THAT(log.file.skipped.at(0), Catch::Contains("line 4: an accuracy is 76.5"));
}

TEST_CASE("pytorch_csv: errors are read as accuracies") {
  const LogContent log = read_sample("pytorch_csv");
  CHECK(all<EvalRecord>(log.file)[1].accuracy == 0.5);
  CHECK(all<EvalRecord>(log.file)[1].metrics.at("top5_accuracy") == 0.75);
  CHECK(all<EpochRecord>(log.file)[1].train_loss == 4.0);
  const auto text = real_log("trainer-logs/pytorch-csv/mobilenet_v2_1.0_224/results.csv");
  if (!text) return;
  const LogContent published = read_log("pytorch_csv", *text);
  CHECK(all<EvalRecord>(published.file).size() == 401);
  CHECK(all<EvalRecord>(published.file).back().accuracy == Approx(0.721));
  REQUIRE(published.file.skipped.size() == 1);  // an epoch was repeated after a restart
  CHECK(published.file.skipped[0].starts_with("line 60: repeated entries in 1 line"));
}

TEST_CASE(
    "mmdet: the time of a line is the mean of its steps, and average precision is not accuracy") {
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

namespace {

std::string mm_line(int epoch, int iter, double time = 0.5) {
  return "{\"mode\": \"train\", \"epoch\": " + std::to_string(epoch) +
         ", \"iter\": " + std::to_string(iter) +
         ", \"lr\": 0.01, \"data_time\": 0.01, \"loss\": 1.5, \"time\": " + std::to_string(time) +
         "}\n";
}

std::int64_t steps_of(const LogContent& log) {
  std::int64_t steps = 0;
  for (const auto& window : all<StepWindow>(log.file)) steps += window.steps;
  return steps;
}

}  // namespace

TEST_CASE("mmdet: iterations that continue over epochs are counted once") {
  std::string global, by_epoch;
  for (int iter = 50; iter <= 600; iter += 50) {
    global += mm_line((iter - 1) / 200 + 1, iter);
    by_epoch += mm_line((iter - 1) / 200 + 1, (iter - 1) % 200 + 1);
  }
  CHECK(steps_of(read_log("mmdet", global)) == 600);
  CHECK(steps_of(read_log("mmdet", by_epoch)) == 600);
}

TEST_CASE("mmdet: epochs shorter than two intervals and epochs with one line keep their steps") {
  CHECK(steps_of(read_log(
            "mmdet", mm_line(1, 50) + mm_line(1, 60) + mm_line(2, 50) + mm_line(2, 60))) == 120);
  CHECK(steps_of(read_log("mmdet", mm_line(1, 50) + mm_line(2, 50) + mm_line(3, 50))) == 150);
  CHECK(steps_of(read_log("mmdet", mm_line(1, 50))) == 50);
}

TEST_CASE("mmdet: the first line of a resumed run has the steps of an interval") {
  const LogContent log =
      read_log("mmdet", mm_line(1, 40050) + mm_line(1, 40100) + mm_line(1, 40150));
  CHECK(steps_of(log) == 150);
}

TEST_CASE("mmdet: the line after an evaluation is warm-up if iterations continue") {
  const std::string val =
      "{\"mode\": \"val\", \"epoch\": 2, \"iter\": 125, \"lr\": 0.01, "
      "\"mIoU\": 0.4}\n";
  const LogContent log = read_log(
      "mmdet", mm_line(1, 50) + mm_line(2, 100) + val + mm_line(2, 150, 2.5) + mm_line(2, 200));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 4);
  CHECK_FALSE(windows[1].warmup);
  CHECK(windows[2].warmup);
  CHECK_FALSE(windows[3].warmup);
  CHECK(*rate_of(log) == Approx(64 / 0.5));
}

TEST_CASE("llmc: losses are read by step without rates and accuracies") {
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

TEST_CASE("deit: epochs have losses, and tested epochs have accuracies") {
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
