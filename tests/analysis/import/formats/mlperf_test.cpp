// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "tests/analysis/import/formats/log_reading.hpp"
#include "tests/analysis/import/formats/log_samples.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the median of the rates in tracked_stats, or nothing if the log has no rates.
std::optional<double> median_throughput(const std::string& text) {
  const std::regex printed(R"re("(?:throughput|imgs_sec)": ([0-9.]+))re");
  std::vector<double> rates;
  for (std::sregex_iterator at(text.begin(), text.end(), printed), end; at != end; ++at) {
    rates.push_back(std::stod((*at)[1]));
  }
  if (rates.empty()) return std::nullopt;
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace

TEST_CASE("mlperf: the rate of an epoch is its samples over its time without evaluation") {
  const LogContent log = read_log("mlperf", log_samples()[0].text);
  const auto windows = all<contract::StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].warmup);
  CHECK(windows[1].first_step == 10);
  CHECK(windows[1].steps == 10);
  CHECK(windows[1].wall_s == Approx(4));
  CHECK(*rate_of(log) == Approx(250));
  const auto evals = all<contract::EvalRecord>(log.file);
  REQUIRE(evals.size() == 1);
  CHECK(evals[0].epoch == 1);
  CHECK(evals[0].accuracy == 0.76);
  CHECK(evals[0].correct == 38);
  CHECK(log.facts.at("global_batch") == "100");
  CHECK(log.facts.at("model") == "resnet");
  CHECK(all<contract::RunStop>(log.file)[0].wall_s == Approx(11));
}

TEST_CASE("mlperf: in v0.5 the number of an evaluation gives the epochs before it") {
  const std::string text =
      ":::MLPv0.5.0 resnet 10.5 (a.py:1) preproc_num_train_examples: 1000\n"
      ":::MLPv0.5.0 resnet 10.5 (a.py:1) run_start\n"
      ":::MLPv0.5.0 resnet 11.0 (a.py:1) train_loop\n"
      ":::MLPv0.5.0 resnet 11.0 (a.py:1) train_epoch: 0\n"
      ":::MLPv0.5.0 resnet 21.0 (a.py:1) eval_start\n"
      ":::MLPv0.5.0 resnet 22.0 (a.py:1) eval_stop\n"
      ":::MLPv0.5.0 resnet 22.0 (a.py:1) eval_accuracy: {\"epoch\": 0, \"value\": 0.25}\n"
      ":::MLPv0.5.0 resnet 42.0 (a.py:1) eval_start\n"
      ":::MLPv0.5.0 resnet 43.0 (a.py:1) eval_stop\n"
      ":::MLPv0.5.0 resnet 43.0 (a.py:1) eval_accuracy: {\"epoch\": 4, \"value\": 0.5}\n"
      ":::MLPv0.5.0 resnet 44.0 (a.py:1) run_stop: {\"success\": \"true\"}\n";
  const LogContent log = read_log("mlperf", text, run_of(1, 100));
  const auto windows = all<contract::StepWindow>(log.file);
  REQUIRE(windows.size() == 2);
  CHECK(windows[0].steps == 10);
  CHECK(windows[1].samples == 4000);
  CHECK(*rate_of(log) == Approx(200));
  CHECK(all<contract::EvalRecord>(log.file)[1].epoch == 4);
  CHECK(completed(log));
}

TEST_CASE("mlperf: an aborted run has failed, and other qualities are not accuracies") {
  const std::string text =
      ":::MLLOG {\"time_ms\": 1, \"key\": \"submission_benchmark\", \"value\": \"gnmt\"}\n"
      ":::MLLOG {\"time_ms\": 1, \"key\": \"run_start\", \"value\": null}\n"
      ":::MLLOG {\"time_ms\": 9, \"key\": \"eval_accuracy\", \"value\": 0.24, \"metadata\": "
      "{\"epoch_num\": 1}}\n"
      ":::MLLOG {\"time_ms\": 9, \"key\": \"run_stop\", \"metadata\": {\"status\": \"aborted\"}}\n";
  const LogContent log = read_log("mlperf", text);
  CHECK(std::isnan(all<contract::EvalRecord>(log.file)[0].accuracy));
  CHECK(all<contract::EvalRecord>(log.file)[0].metrics.at("bleu") == 0.24);
  CHECK(all<contract::RunStop>(log.file)[0].outcome == contract::RunOutcome::Failed);
  CHECK(all<contract::RunStop>(log.file)[0].reason == "run_stop reports \"aborted\"");
  CHECK(log.file.skipped ==
        std::vector<std::string>{"line 4: no epoch ended before run_stop: there is no rate"});
}

TEST_CASE("mlperf: rates of a published series agree with those that its trainer logged") {
  const std::string folder = "scaling/mlperf-v2.0/Dell/results/";
  const auto text = real_log(folder + "XE8545x4A100-SXM-40GB/resnet/result_0.txt");
  if (!text) return;
  const LogContent log = read_log("mlperf", *text);
  const auto windows = all<contract::StepWindow>(log.file);
  REQUIRE(windows.size() == 35);
  CHECK(1281167 / windows[34].wall_s == Approx(12115.785).epsilon(1e-4));
  CHECK(*rate_of(log) == Approx(12117.95).epsilon(1e-5));
  CHECK(all<contract::EpochRecord>(log.file).size() == 35);
  CHECK(all<contract::EvalRecord>(log.file).back().accuracy == 0.76106);
  CHECK(log.facts.at("global_batch") == "1024");
  CHECK(completed(log));
  double before = *rate_of(log);
  for (const char* nodes : {"2", "4", "8"}) {
    const auto more = real_log(folder + nodes + "xXE8545x4A100-SXM-40GB/resnet/result_0.txt");
    const double rate = *rate_of(read_log("mlperf", *more));
    CHECK(rate > 1.7 * before);
    CHECK(rate < 2 * before);
    before = rate;
  }
}

TEST_CASE("mlperf: published logs of v0.5 and of blocks have their epochs and accuracies") {
  const auto intel = real_log(
      "scaling/mlperf-v0.5/intel/intel_resnet_submission/results/skx_8180_2s_8x/resnet/"
      "result_0.txt");
  if (!intel) return;
  const LogContent log = read_log("mlperf", *intel);
  CHECK(all<contract::EpochRecord>(log.file).size() == 62);
  CHECK(all<contract::EvalRecord>(log.file).back().epoch == 61);
  CHECK(all<contract::EvalRecord>(log.file).back().accuracy == 0.75306);
  const auto tpu = real_log("scaling/mlperf-v0.7/Google/results/tpu-v4-128-TF/resnet/result_0.txt");
  const LogContent blocks = read_log("mlperf", *tpu);
  CHECK(all<contract::StepWindow>(blocks.file).size() == 11);
  CHECK(all<contract::StepWindow>(blocks.file)[1].samples == 4 * 1281167);
  CHECK(all<contract::RunStart>(blocks.file)[0].environment.at("timed") ==
        "blocks of epochs with evaluation");
  CHECK(all<contract::EvalRecord>(blocks.file).back().accuracy == 0.76198);
}

TEST_CASE("mlperf: published logs agree with their printed rates and with their run time") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (data == nullptr) return test::skip("DLSCALE_TEST_DATA names no folder with published logs");
  int logs = 0, printed = 0;
  for (const char* version : {"v0.5", "v0.7", "v2.0"}) {
    const auto folder =
        std::filesystem::path(data) / "scaling" / ("mlperf-" + std::string(version));
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (file.path().extension() != ".txt") continue;
      INFO(file.path().string());
      const std::string text = base::read_file(file.path().string());
      const LogContent log = read_log("mlperf", text, run_of(8, 128));
      ++logs;
      const auto stops = all<contract::RunStop>(log.file);
      double wall_s = 0;
      for (const auto& window : all<contract::StepWindow>(log.file)) {
        wall_s += std::isfinite(window.wall_s) ? window.wall_s : 0;
      }
      if (!stops.empty()) CHECK(wall_s <= 1.001 * stops[0].wall_s);
      const auto rate = rate_of(log);
      const auto of_log = median_throughput(text);
      if (!rate || !of_log) continue;
      ++printed;
      CHECK(*rate == Approx(*of_log).epsilon(0.05));
    }
  }
  CHECK(logs == 51);
  CHECK(printed >= 4);
}

}  // namespace dlscale::analysis
