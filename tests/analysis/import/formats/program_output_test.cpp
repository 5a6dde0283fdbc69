// SPDX-License-Identifier: Apache-2.0
// Tests of the formats of training programs' output: DLLogger, torchvision, Horovod, TensorFlow,
// DDP, DeepSpeed, MXNet, Torch 7.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>

#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

using contract::EpochRecord;
using contract::EvalRecord;
using contract::StepWindow;

LogContent read_output(const std::string& format, const contract::RunSpec& run) {
  for (const LogSample& sample : log_samples()) {
    if (sample.format == format) return read_log(format.c_str(), sample.text, run);
  }
  throw base::UsageError("no sample of " + format);
}

}  // namespace

TEST_CASE(
    "dllogger: lines bound steps, total_ips gives their rate, and the first line is warm-up") {
  const LogContent log = read_output("dllogger", run_of(1, 32));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 3);
  CHECK(windows[0].warmup);
  CHECK(windows[1].steps == 10);
  CHECK(windows[2].wall_s == Approx(3.2));
  CHECK(windows[2].train_loss == 6.25);
  CHECK(*rate_of(log) == Approx(640 / 4.8));
  CHECK(all<EpochRecord>(log.file)[0].wall_s == Approx(21 * 32 / 128.0));
  CHECK(all<EvalRecord>(log.file)[0].accuracy == Approx(0.765));
  CHECK(all<EvalRecord>(log.file)[0].metrics.at("top5_accuracy") == Approx(0.93));
  CHECK(log.facts.at("batch_per_gpu") == "32");
  CHECK(log.facts.at("precision") == "amp");
  CHECK(completed(log));
}

TEST_CASE("dllogger: published runs on four H100 have their rates") {
  const std::string folder = "scaling/lambda/1cc_4xH100_80GB_SXM5_v1/";
  const auto resnet = real_log(folder + "PyTorch_resnet50_AMP/02-05-2024_04-40-32.txt");
  if (!resnet) return;
  const LogContent log = read_log("dllogger", *resnet, run_of(4, 1280));
  CHECK(all<StepWindow>(log.file).size() == 198);
  CHECK(*rate_of(log) == Approx(11100.22).epsilon(1e-5));  // the line of the epoch states 11106.76
  CHECK(all<EpochRecord>(log.file).size() == 2);
  CHECK(completed(log));
  const auto squad = real_log(folder + "PyTorch_bert_base_squad_FP16/02-05-2024_04-48-05.txt");
  const LogContent bert = read_log("dllogger", *squad, run_of(4, 320));
  REQUIRE(all<StepWindow>(bert.file).size() == 1);
  CHECK(all<StepWindow>(bert.file)[0].steps == 100);
  CHECK(all<StepWindow>(bert.file)[0].samples == 128000);
  const auto ncf = real_log(folder + "PyTorch_ncf_FP16/02-05-2024_05-03-13.txt");
  const LogContent none = read_log("dllogger", *ncf, run_of(4, 10'000'000));
  CHECK_FALSE(rate_of(none));
  CHECK(none.file.skipped.size() == 2);
}

TEST_CASE("torchvision: the rate is the steps of an epoch over its time, and img/s is ignored") {
  const LogContent log = read_output("torchvision", run_of(2, 32));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[0].wall_s == 20);
  CHECK(windows[0].parts[0].mean == Approx((0.3 + 10 * 0.1) * 20 / 11));
  CHECK(windows[1].lr == 0.05);
  CHECK(windows[1].train_loss == 5.85);
  CHECK(*rate_of(log) == Approx(20 * 64 / 10.0));
  const auto evals = all<EvalRecord>(log.file);
  REQUIRE(evals.size() == 2);
  CHECK(evals[0].accuracy == Approx(0.103));
  CHECK(evals[0].wall_s == 4);
  CHECK(evals[1].epoch == 1);
  CHECK(evals[1].metrics.at("top5_accuracy") == Approx(0.405));
  CHECK(completed(log));
}

TEST_CASE("torchvision: a published tail has its last epoch and accuracy") {
  const auto text = real_log("trainer-logs/torchvision/reference-tail.txt");
  if (!text) return;
  const LogContent log = read_log("torchvision", *text);
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].epoch == 89);
  CHECK(all<StepWindow>(log.file)[0].steps == 506);
  CHECK(all<StepWindow>(log.file)[0].wall_s == 13);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == Approx(0.703));
}

TEST_CASE("horovod: rank 0's rate is scaled to all ranks, whose number the log gives") {
  const LogContent log = read_output("horovod", run_of(1, 1));
  CHECK(log.facts.at("gpus") == "4");
  CHECK(log.facts.at("model") == "resnet50");
  CHECK(*rate_of(log) == Approx(256 / (0.32 + 0.64)));
  CHECK(all<contract::RunStart>(log.file)[0].world_size == 4);
  CHECK(completed(log));
  const auto text = real_log("trainer-logs/horovod/pytorch_synthetic_benchmark-4gpu.txt");
  if (!text) return;
  const LogContent published = read_log("horovod", *text);
  CHECK(all<StepWindow>(published.file).size() == 10);
  CHECK(*rate_of(published) == Approx(432.8).epsilon(1e-3));
}

TEST_CASE("horovod: the first iteration of the Keras program is warm-up") {
  const std::string text =
      "Model: ResNet50\nBatch size: 64\nNumber of GPUs: 2\nIter #0: 300.0 img/sec per GPU\n"
      "Iter #1: 1000.0 img/sec per GPU\nIter #2: 1000.0 img/sec per GPU\n"
      "Img/sec per GPU: 1000.0 +-0.0\nTotal img/sec on 2 GPU(s): 2000.0 +-0.0\n";
  const LogContent log = read_log("horovod", text);
  CHECK(all<StepWindow>(log.file)[0].warmup);
  CHECK_FALSE(all<StepWindow>(log.file)[1].warmup);
  CHECK(*rate_of(log) == Approx(2000));
  CHECK(log.file.skipped.empty());
}

TEST_CASE("horovod: a finished progress bar is an epoch, and unfinished bars are ignored") {
  const std::string text =
      "Train Epoch     #1:  40%|####      | 8/20 [00:04<00:06,  2.0it/s, loss=6.9, accuracy=0.1]\r"
      "Train Epoch     #1: 100%|##########| 20/20 [00:10<00:00,  2.0it/s, loss=6.5, accuracy=0.5]\n"
      "Validate Epoch  #1: 100%|##########| 5/5 [00:02<00:00,  2.0it/s, loss=6.25, accuracy=12.5]\n"
      "Train Epoch     #2: 100%|##########| 20/20 [00:08<00:00,  2.0it/s, loss=6.0, accuracy=5.5]\n"
      "Train Epoch     #3:  40%|####      | 8/20 [00:04<00:06,  2.0it/s, loss=5.9, accuracy=9.1]\n";
  const LogContent log = read_log("horovod", text, run_of(4, 32));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].train_loss == 6.5);
  CHECK(*rate_of(log) == Approx(20 * 128 / 8.0));
  REQUIRE(all<EvalRecord>(log.file).size() == 1);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.125);
  CHECK(base::find(log_formats(), "log format", "horovod").recognises(text));
}

TEST_CASE("tf_cnn_benchmarks: the printed total is the rate, and rows give steps and loss") {
  const LogContent log = read_output("tf_cnn_benchmarks", run_of(1, 1));
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].steps == 100);
  CHECK(all<StepWindow>(log.file)[0].samples == 25600);
  CHECK(*rate_of(log) == Approx(512));
  CHECK(log.facts.at("gpus") == "4");
  CHECK(log.facts.at("global_batch") == "256");
  CHECK(log.facts.at("model") == "alexnet");
  CHECK(log.facts.at("dataset") == "imagenet");
  CHECK(completed(log));
}

TEST_CASE("pytorch_ddp: the rate excludes the first batch of an epoch") {
  const LogContent log = read_output("pytorch_ddp", run_of(1, 1));
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].steps == 100);
  CHECK(*rate_of(log) == Approx(320));
  CHECK(all<EpochRecord>(log.file)[0].steps == 101);
  CHECK(all<EpochRecord>(log.file)[0].wall_s == 11);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.25);
  CHECK(log.facts.at("nodes") == "2");
  CHECK(completed(log));
}

TEST_CASE("pytorch_ddp: a published run has its rates, and a timed-out run has none") {
  const auto text = real_log("trainer-logs/pytorch-ddp/2024-11-08-21-31-31-with_aws.log");
  if (!text) return;
  const LogContent log = read_log("pytorch_ddp", *text);
  REQUIRE(all<StepWindow>(log.file).size() == 10);
  for (const auto& window : all<StepWindow>(log.file)) CHECK(window.steps == 99);
  CHECK(*rate_of(log) == Approx(4710.42).epsilon(1e-5));
  CHECK(log.facts.at("gpus") == "8");
  CHECK(log.facts.at("nodes") == "2");
  CHECK(log.facts.at("global_batch") == "128");
  const auto failed = real_log("trainer-logs/pytorch-ddp/2024-11-08-21-24-51-with_aws.log");
  const LogContent none = read_log("pytorch_ddp", *failed);
  CHECK_FALSE(rate_of(none));
  CHECK_FALSE(completed(none));
  CHECK(none.facts == std::map<std::string, std::string>{{"gpus", "8"}});
}

TEST_CASE("deepspeed: the time between lines comes from the running average") {
  const LogContent log = read_output("deepspeed", run_of(1, 1));
  CHECK(log.facts == std::map<std::string, std::string>{{"accumulation_steps", "1"},
                                                        {"batch_per_gpu", "16"},
                                                        {"global_batch", "64"},
                                                        {"gpus", "4"}});
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].steps == 8);  // 10 steps minus the first two
  CHECK(windows[0].wall_s == Approx(8));
  CHECK(windows[1].steps == 10);
  CHECK(windows[1].wall_s == Approx(8));
  CHECK(windows[1].lr == 0.002);
  CHECK(*rate_of(log) == Approx(72));
}

TEST_CASE("deepspeed: pipelines give step time and loss") {
  const LogContent log =
      read_log("deepspeed",
               "steps: 10 loss: 6.9000 iter time (s): 2.000 samples/sec: 32.000\n"
               "steps: 20 loss: nan iter time (s): 0.500 samples/sec: 128.000\n",
               run_of(4, 16));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[0].train_loss == 6.9);
  CHECK(std::isnan(windows[1].train_loss));
  CHECK(windows[1].wall_s == Approx(5));
  CHECK(*rate_of(log) == Approx(128));
}

TEST_CASE("deepspeed: the first line of a resumed pipeline has as many steps as later lines") {
  const auto line = [](int step, double rate) {
    return "steps: " + std::to_string(step) +
           " loss: 6.9000 iter time (s): " + std::to_string(64 / rate) +
           " samples/sec: " + std::to_string(rate) + "\n";
  };
  const auto steps_of = [](const std::string& text) {
    std::vector<int> steps;
    for (const auto& window : all<StepWindow>(read_log("deepspeed", text, run_of(4, 16)).file)) {
      steps.push_back(window.steps);
    }
    return steps;
  };
  CHECK(steps_of(line(1010, 32) + line(1020, 128) + line(1030, 128)) ==
        std::vector<int>{10, 10, 10});
  CHECK(steps_of(line(1010, 32) + line(1020, 128)) == std::vector<int>{10, 10});
  CHECK(steps_of(line(10, 32) + line(20, 128)) == std::vector<int>{10, 10});
  CHECK(steps_of(line(10, 32)) == std::vector<int>{10});
  CHECK(steps_of(line(1010, 32) + line(1010, 32) + line(1020, 128)) == std::vector<int>{10, 10});
  // The first line of a restarted process includes its start-up.
  const LogContent log = read_log("deepspeed",
                                  line(10, 32) + line(20, 128) +
                                      "[INFO] DeepSpeed info: version=0.9.5, git-hash=unknown\n" +
                                      line(30, 16) + line(40, 128),
                                  run_of(4, 16));
  CHECK(all<StepWindow>(log.file)[2].warmup);
  CHECK(*rate_of(log) == Approx(128));
}

TEST_CASE("horovod: the bars of an epoch may form one line of more than a megabyte") {
  std::string text = "Downloading...\n";
  for (const int epoch : {1, 2}) {
    const std::string name = "Train Epoch     #" + std::to_string(epoch);
    for (int step = 0; step <= 20'000; ++step) {
      text += name + ": " + std::to_string(step / 200) + "%|####      | " + std::to_string(step) +
              "/20000 [01:40<00:00, 200.0it/s, loss=6.5, accuracy=0.5]" +
              (step < 20'000 ? "\r" : "\n");
    }
    text += "Validate Epoch  #" + std::to_string(epoch) +
            ": 100%|##########| 5/5 [00:02<00:00,  2.0it/s, loss=6.25, accuracy=12.5]\n";
  }
  const LogFormat& horovod = base::find(log_formats(), "log format", "horovod");
  CHECK(horovod.recognises(text.substr(0, std::size_t{64} << 10)));
  const LogContent log = read_log("horovod", text, run_of(4, 32));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(log.file.record_lines.at(1) == 2);
  CHECK(*rate_of(log) == Approx(20'000 * 128 / 100.0));
  CHECK(all<EvalRecord>(log.file).size() == 2);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mxnet: each batch counts once, however many metrics it has") {
  const LogContent log = read_output("mxnet", run_of(1, 1));
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[1].steps == 50);
  CHECK(*rate_of(log) == Approx(320));
  CHECK(all<EpochRecord>(log.file)[0].wall_s == 72.598);
  CHECK(all<EpochRecord>(log.file)[0].steps == 390);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.50267);
  CHECK(log.facts.at("gpus") == "2");
  CHECK(log.facts.at("global_batch") == "128");
}

TEST_CASE("mxnet: one worker of several gives no total rate") {
  const LogContent log = read_log("mxnet",
                                  "Namespace(batch_size=128, kv_store='dist_sync')\n"
                                  "Epoch[0] Batch [50]\tSpeed: 640.00 samples/sec\taccuracy=0.2\n");
  CHECK_FALSE(rate_of(log));
  CHECK(log.file.skipped ==
        std::vector<std::string>{
            "line 2: the speed belongs to one of several workers: no rate of all workers"});
}

TEST_CASE("mxnet: a published log of 300 epochs has its times, rates and accuracies") {
  const auto text = real_log("trainer-logs/mxnet/resnet-164.log");
  if (!text) return;
  const LogContent log = read_log("mxnet", *text);
  CHECK(all<StepWindow>(log.file).size() == 2100);
  CHECK(*rate_of(log) == Approx(709.73).epsilon(1e-4));
  REQUIRE(all<EpochRecord>(log.file).size() == 300);
  CHECK(all<EpochRecord>(log.file)[0].wall_s == 72.598);
  CHECK(all<EvalRecord>(log.file).back().accuracy == 0.952927);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mxnet: the batch of GluonCV is that of one GPU, and its Speed covers all GPUs") {
  const LogContent log = read_log(
      "mxnet",
      "INFO:root:Namespace(batch_size=64, dtype='float16', log_interval=50, model='resnet50_v1b', "
      "num_epochs=1, num_gpus=8, num_workers=60)\n"
      "INFO:root:Epoch[0] Batch [49]\tSpeed: 2048.000 samples/sec\taccuracy=0.101\tlr=0.1\n"
      "INFO:root:Epoch[0] Batch [99]\tSpeed: 2048.000 samples/sec\taccuracy=0.101\tlr=0.1\n"
      "INFO:root:[Epoch 0] training: accuracy=0.120\n"
      "INFO:root:[Epoch 0] speed: 2040 samples/sec\ttime cost: 25.5\n"
      "INFO:root:[Epoch 0] validation: err-top1=0.75 err-top5=0.5\n");
  CHECK(log.facts.at("gpus") == "8");
  CHECK(log.facts.at("global_batch") == "512");
  CHECK(log.facts.at("batch_per_gpu") == "64");
  CHECK(log.facts.at("model") == "resnet50_v1b");
  const auto windows = all<StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].steps == 50);
  CHECK(windows[1].samples == 50 * 512);
  CHECK(*rate_of(log) == Approx(2048));
  CHECK(all<EpochRecord>(log.file)[0].wall_s == 25.5);
  CHECK(all<EvalRecord>(log.file)[0].accuracy == 0.25);
  CHECK(all<EvalRecord>(log.file)[0].metrics.at("top5_accuracy") == 0.5);
  CHECK(log.file.skipped.empty());
}

TEST_CASE("mxnet: an epoch speed that contradicts its lines removes the rate") {
  const LogContent log =
      read_log("mxnet",
               "Namespace(batch_size=64, log_interval=50, num_gpus=2)\n"
               "Epoch[0] Batch [49]\tSpeed: 2048.000 samples/sec\taccuracy=0.101\n"
               "[Epoch 0] speed: 256 samples/sec\ttime cost: 25.5\n");
  CHECK(std::isnan(all<StepWindow>(log.file)[0].wall_s));
  REQUIRE(log.file.skipped.size() == 1);
  CHECK_THAT(log.file.skipped[0],
             Catch::Contains("256 samples/s") && Catch::Contains("2048 samples/s"));
}

TEST_CASE("torch7: there is a rate if the run gives the number of samples per epoch") {
  contract::RunSpec run = run_of(1, 128);
  run.dataset.train_samples = 1280;
  const LogContent log = read_output("torch7", run);
  CHECK(*rate_of(log) == Approx(1280 / 50.0));
  CHECK(all<EpochRecord>(log.file)[0].wall_s == 100.5);
  CHECK(all<EvalRecord>(log.file)[1].accuracy == Approx(0.66));
  CHECK(log.facts.at("dataset") == "cifar10");
  CHECK_FALSE(rate_of(read_output("torch7", run_of(1, 128))));
  const auto text = real_log("trainer-logs/torch7/wide-resnet_1121914561.log.txt");
  if (!text) return;
  const LogContent published = read_log("torch7", *text);
  CHECK(all<EpochRecord>(published.file).size() == 200);
  CHECK(all<EvalRecord>(published.file).back().accuracy == Approx(0.9489));
}

TEST_CASE(
    "megatron, torchtitan and nanogpt: TFLOP/s, FLOP utilisation and gradient norms are read") {
  const auto last = [](const LogContent& log) { return all<StepWindow>(log.file).back().measured; };
  using Values = std::map<std::string, double>;
  const LogContent megatron = read_output("megatron", run_of(16, 16));
  CHECK(last(megatron) == Values{{"grad_norm", 2.1}, {"tflops_per_gpu", 400}});
  const LogContent titan = read_output("torchtitan", run_of(64, 2));
  CHECK(last(titan) == Values{{"grad_norm", 1.8422}, {"mfu", 41.67}, {"tflops_per_gpu", 412.1}});
  using Units = std::map<std::string, std::string>;
  CHECK(all<contract::RunStart>(titan.file).at(0).measured_units ==
        Units{{"mfu", "%"}, {"tflops_per_gpu", "TFLOP/s"}});
  const LogContent nano = read_output("nanogpt", run_of(8, 60));
  CHECK(last(nano) == Values{{"mfu", 38.2}});
}

TEST_CASE("nanogpt: the utilisation of -100 % before the first measurement is unknown") {
  const LogContent log = read_output("nanogpt", run_of(8, 60));
  CHECK(all<StepWindow>(log.file).front().measured.empty());
}

TEST_CASE("megatron: missing TFLOP/s and a gradient norm of nan are not recorded") {
  const LogContent log = read_log(
      "megatron",
      " iteration       10/    1000 | consumed samples:         2560 | elapsed time per iteration "
      "(ms): 1000.0 | learning rate: 1.0E-04 | global batch size:   256 | lm loss: 9.5E+00 | grad "
      "norm: nan |\n",
      run_of(16, 16));
  REQUIRE(all<StepWindow>(log.file).size() == 1);
  CHECK(all<StepWindow>(log.file)[0].measured.empty());
}

}  // namespace dlscale::analysis
