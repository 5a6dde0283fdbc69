// SPDX-License-Identifier: Apache-2.0
// Tests of the formats of NVIDIA's examples (GNMT, SSD, NCF), of DAWNBench and of timm's tables,
// including the cross-checks of values that a log prints twice.
#include <array>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::EpochRecord;
using contract::EvalRecord;
using contract::InferenceRecord;
using contract::RunStart;
using contract::StepWindow;

std::string example_sample(const std::string& format) {
  for (const LogSample& one : log_samples()) {
    if (one.format == format) return one.text;
  }
  throw base::UsageError("no sample of " + format);
}

std::string skipped(const LogContent& log) {
  return log.file.skipped.empty() ? "" : log.file.skipped[0];
}

}  // namespace

TEST_CASE("gnmt: the rate is the number of sentence pairs over the mean time of an epoch") {
  const LogContent log = read_log("gnmt", example_sample("gnmt"));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[0].steps == 11);
  CHECK(windows[0].wall_s == Approx(11 * 0.5));
  CHECK(windows[1].parts[0].mean == Approx(21 * 0.01));
  CHECK(*rate_of(log) == Approx(2 * 64 / 0.4));
  CHECK(log.facts.at("gpus") == "2");
  CHECK(log.facts.at("precision") == "fp16");
  CHECK(all<RunStart>(log.file)[0].train_samples == 148120);
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 2);
  CHECK(evals[1].loss == 8.0);
  CHECK(evals[1].metrics.at("bleu") == 1.25);
  CHECK(evals[1].metrics.at("train_tokens_per_s") == 150000);
  CHECK(completed(log));
}

TEST_CASE("gnmt: an epoch with only its first iteration has no rate") {
  const std::string text =
      "TRAIN [0][0/8]\tTime 3.435 (0.000)\tData 3e+00 (0.0e+00)\tTok/s 19974 (0)\tLoss/tok 10.6 "
      "(10.6)\tLR 3e-05\nPerformance: Epoch: 0\tTraining: 996656 Tok/s\tValidation: 1 Tok/s\n";
  const LogContent log = read_log("gnmt", text);
  CHECK(all<StepWindow>(log.file).empty());
  CHECK(skipped(log) ==
        "line 2: the log prints only the first iteration of the epoch, whose time is not a mean: "
        "no rate");
  CHECK(all<EvalRecord>(log.file).size() == 1);
}

TEST_CASE("ssd: the rate is the number of all images over the time of the slowest rank") {
  const LogContent log = read_log("ssd", example_sample("ssd"));
  CHECK(*rate_of(log) == Approx(2 * 3840 / 20.0));
  CHECK(log.facts.at("gpus") == "2");
  CHECK(completed(log));
}

TEST_CASE("ssd: with an unknown batch there are images and times without steps") {
  const LogContent log =
      read_log("ssd", example_sample("ssd"), contract::RunSpec{.global_batch = 0});
  CHECK(*rate_of(log) == Approx(2 * 3840 / 20.0));
  CHECK(all<StepWindow>(log.file)[0].steps == 0);
  CHECK(all<StepWindow>(read_log("ssd", example_sample("ssd")).file)[0].steps == 2 * 3840 / 64);
}

TEST_CASE("nvlog and dllogger: the hit rate of NCF is a metric instead of a rate") {
  const LogContent old = read_log("nvlog", example_sample("nvlog"));
  CHECK(all<EvalRecord>(old.file)[0].metrics.at("hit_rate_10") == 0.75);
  CHECK(std::isnan(all<EvalRecord>(old.file)[0].accuracy));
  CHECK(old.facts.at("global_batch") == "4096");
  CHECK_FALSE(rate_of(old));
  const LogContent log = read_log(
      "dllogger",
      "DLL 2024-05-02 05:41:21.27 - (0,) train_throughput : 6.175e+07 samples/s hr@10 : 0.72661 "
      "None train_epoch_time : 1.608 s validation_loss : 0.65615 None \n"
      "DLL 2024-05-02 05:41:21.49 - () best_train_throughput : 9009982842.1 samples/s \n");
  REQUIRE(all<EvalRecord>(log.file).size() == 1);
  CHECK(all<EvalRecord>(log.file)[0].metrics.at("hit_rate_10") == 0.72661);
  CHECK(all<EvalRecord>(log.file)[0].loss == 0.65615);
  CHECK(skipped(log) ==
        "line 1: the clock of train_throughput may stop before the device has finished: no rate");
  CHECK(completed(log));
}

TEST_CASE("dawnbench: rows are epochs with times and scores, with columns in any order") {
  const LogContent log = read_log("dawnbench", example_sample("dawnbench"));
  const auto epochs = all<EpochRecord>(log.file);
  REQUIRE(epochs.size() == 2);
  CHECK(epochs[1].epoch == 1);
  CHECK(epochs[1].wall_s == 900);
  CHECK(all<EvalRecord>(log.file)[1].accuracy == Approx(0.2475));
  CHECK(all<EvalRecord>(log.file)[1].metrics.at("top5_accuracy") == Approx(0.4825));
  const LogContent squad = read_log("dawnbench", "epoch\tf1Score\thours\n1\t0.61\t  0.125  \n");
  CHECK(all<EvalRecord>(squad.file)[0].metrics.at("f1") == 0.61);
  CHECK(all<EpochRecord>(squad.file)[0].wall_s == 450);
}

TEST_CASE("timm_summary: losses and accuracies are read by epoch without times") {
  const LogContent log = read_log("timm_summary", example_sample("timm_summary"));
  CHECK(all<EpochRecord>(log.file)[1].lr == 0.025);
  CHECK(all<EvalRecord>(log.file)[1].accuracy == Approx(0.815));
  CHECK(all<EvalRecord>(log.file)[1].metrics.at("top5_accuracy") == Approx(0.995));
  CHECK_FALSE(rate_of(log));
}

TEST_CASE("timm_benchmark: each model is a run of training or inference") {
  const LogFormat& format = base::find(log_formats(), "log format", "timm_benchmark");
  const std::string text = example_sample("timm_benchmark");
  const auto parts = format.parts(text);
  REQUIRE(parts.size() == 2);
  const LogContent vgg = format.read_part(text, parts[1], run_of(1, 1));
  CHECK(vgg.facts.at("model") == "vgg16");
  CHECK(*rate_of(vgg) == Approx(500));
  CHECK(vgg.file.record_lines.back() == 3);
  CHECK(all<RunStart>(vgg.file)[0].parameters == 138360000);
  const LogContent infer = read_log(
      "timm_benchmark",
      "model,infer_samples_per_sec,infer_step_time,infer_batch_size,x\nm,1000.0,64.0,64,1\n");
  REQUIRE(all<InferenceRecord>(infer.file).size() == 1);
  CHECK(all<InferenceRecord>(infer.file)[0].latency_s.p50 == Approx(0.064));
  CHECK(all<InferenceRecord>(infer.file)[0].samples_per_s == 1000);
}

TEST_CASE("times in other units are reported if the log contradicts them") {
  const std::vector<std::array<std::string, 3>> texts{
      {"timm_benchmark",
       "model,train_samples_per_sec,train_step_time,train_batch_size\nm,1000.0,0.256,256\n",
       "line 2: \"train_step_time\" reports 0.000256 s for the same steps, but the steps that were "
       "read give 0.256 s (line 2)"},
      {"timm_benchmark",
       "model,infer_samples_per_sec,infer_step_time,infer_batch_size\nm,1000.0,0.256,256\n",
       "line 2: 1000 samples/s are printed, but a batch of 256 in 0.256 ms gives 1e+06: check "
       "the unit of the time"},
      {"ssd",
       "Done benchmarking. Total images: 3840\ttotal time: 19200\tAverage images/sec: 200.0\n"
       "Training performance = 200.0 FPS\n",
       "line 2: \"Average images/sec of all ranks\" reports 200 samples/s for the same steps, but "
       "the "
       "steps that were read give 0.2 samples/s (line 2)"},
      {"dawnbench", "epoch\thours\ttop1Accuracy\n1\t900\t10\n2\t0.5\t20\n",
       "line 3: 0.5 hours follow 900 hours, but times must not decrease"},
      {"pytorch_ddp",
       "Throughput: 320000000000.0 images/s, Batch size: 16, Num of GPUs: 2, Total time: 11e-9 s, "
       "Average batch time: 1e-10 s, First batch time: 1e-9 s\n",
       ""},
      {"horovod", "Number of GPUs: 1\nBatch size: 32\nIter #0: 5e9 img/sec per GPU\n",
       "line 3: 5e+09 samples/s is impossible: check that the times are times of steps, and "
       "check the unit of the times"}};
  for (const auto& [format, text, why] : texts) {
    INFO(format);
    const LogContent log = read_log(format.c_str(), text);
    CHECK_THAT(skipped(log), Catch::StartsWith(why));
    for (const auto& window : all<StepWindow>(log.file)) {
      CHECK_FALSE(static_cast<double>(window.samples) / window.wall_s >= 2e9);
    }
  }
}

}  // namespace dlscale::analysis
