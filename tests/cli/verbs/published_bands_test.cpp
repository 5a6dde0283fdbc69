// SPDX-License-Identifier: Apache-2.0
// Tests of the bands of `dlscale predict` against published efficiencies.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/cli/dlscale_program.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

/// Aach et al., J. Big Data 10:96 (2023): ResNet-50 with 64 images per GPU on JUWELS Booster.
constexpr const char* kJuwels = R"(
[study]
name = "published"
scaling = "weak"
baseline = { gpus = 4 }
[matrix]
framework = ["ddp"]
model = ["resnet50"]
loader = ["native"]
gpus = [4, 128, 512, 1024]
batch_per_gpu = [64]
[training]
epochs = 90
lr.base = 0.1
precision = "tf32"
dataset = { kind = "image_folder", path = "data", train_samples = 1281167 }
)";

/// Folder with the published study, in which the program runs.
struct PublishedStudy {
  PublishedStudy() { base::write_file_atomically(dlscale.folder / "study.toml", kJuwels); }
  test::Ran predict(std::vector<std::string> more, const std::string& site = "juwels-booster") {
    more.insert(more.begin(), {"predict", "study.toml", "--site", site, "--up-to", "1024"});
    test::Ran ran = dlscale.run(more);
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    return ran;
  }
  /// Returns the row of predicted-times with this number of GPUs.
  nlohmann::json row(const std::string& framework, const std::string& loader, int gpus,
                     std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--format", "json", "-S", "matrix.framework=[\"" + framework + "\"]",
                             "-S", "matrix.loader=[\"" + loader + "\"]"});
    const auto report = nlohmann::json::parse(predict(more).out);
    for (const auto& table : report.at("tables")) {
      if (table.at("id") != "predicted-times") continue;
      for (const auto& each : table.at("rows")) {
        if (each.at("gpus") == gpus) return each;
      }
    }
    FAIL("no row with " << gpus << " GPUs");
    return {};
  }
  test::DlscaleProgram dlscale;
};

double least_efficiency(const nlohmann::json& row) {
  return row.at("efficiency_bounds_low").get<double>();
}

void check_inside(const nlohmann::json& row, double published) {
  INFO(row.dump());
  CHECK(least_efficiency(row) < published);
  CHECK(published < row.at("efficiency_bounds_high").get<double>());
  CHECK(row.at("step_bounds_s_low").get<double>() <= row.at("step_s").get<double>());
  CHECK(row.at("step_s").get<double>() <= row.at("step_bounds_s_high").get<double>());
}

/// Calibration with runs of DDP with the native loader, and all-reduces between two GPUs of a node.
constexpr const char* kCalibration = R"({"schema_version": 1, "device": "NVIDIA A100-SXM4-40GB",
  "all_reduce": [
    {"topology": "ib", "nodes": 1, "gpus": 2, "bytes": 1000, "seconds": 1e-5},
    {"topology": "ib", "nodes": 1, "gpus": 2, "bytes": 1000000, "seconds": 3e-5},
    {"topology": "ib", "nodes": 1, "gpus": 2, "bytes": 1000000000, "seconds": 0.01}],
  "compute": [{"model": "resnet50", "input": [3, 224, 224], "precision": "tf32", "batch": 64,
    "forward_s": 0.03, "backward_s": 0.06, "optimizer_s": 0.001, "ranks_on_node": RANKS,
    "framework": "ddp"}],
  "exchange": [{"framework": "ddp", "nodes": NODES, "gpus": GPUS, "hidden": 0.9, "runs": 3}],
  "loading": [{"loader": "native", "dataset": "image_folder", "seconds_per_sample": 1e-5,
    "runs": 3}]})";

std::string calibration_on(int gpus) {
  const int nodes = gpus > 4 ? gpus / 4 : 1;
  const std::pair<std::string, int> values[] = {
      {"RANKS", gpus / nodes}, {"NODES", nodes}, {"GPUS", gpus}};
  std::string text = kCalibration;
  for (const auto& [key, value] : values) {
    text.replace(text.find(key), key.size(), std::to_string(value));
  }
  return text;
}

}  // namespace

TEST_CASE("the band of DDP with DALI on 1024 GPUs contains the efficiency of JUWELS Booster") {
  PublishedStudy study;
  check_inside(study.row("ddp", "dali_cpu", 1024), 0.76);
  check_inside(study.row("ddp", "dali_gpu", 1024), 0.68);
}

TEST_CASE("the band of DDP with the native loader on 512 GPUs includes the published 0.24") {
  PublishedStudy study;
  check_inside(study.row("ddp", "native", 512), 0.24);
  CHECK(least_efficiency(study.row("ddp", "native", 512)) < 0.2);
}

TEST_CASE("the band of DeepSpeed with the native loader on 128 GPUs contains the published value") {
  PublishedStudy study;
  check_inside(study.row("deepspeed", "native", 128), 0.33);
}

TEST_CASE("the bands for JUWELS Booster are based on the other published systems") {
  PublishedStudy study;
  const test::Ran here = study.predict({});
  CHECK_THAT(here.out, Contains("juwels-booster is one of") && Contains("excluded"));
  const test::Ran elsewhere =
      study.predict({"-S", "matrix.gpus=[4,8]", "-S", "training.precision=fp32"}, "altec");
  CHECK_THAT(elsewhere.out, Contains("not in the model") && !Contains("excluded"));
}

TEST_CASE("every format lists the effects missing from the model, and a remedy") {
  PublishedStudy study;
  for (const char* format : {"text", "csv", "markdown", "latex", "json"}) {
    INFO(format);
    const std::string out = study.predict({"--format", format, "--sweep", "link=100,400"}).out;
    CHECK_THAT(out, Contains("loading from a shared file system") && Contains("stragglers") &&
                        Contains("congestion") && Contains("dlscale calibrate"));
  }
}

TEST_CASE("a table with a predicted time has its low and high bounds") {
  PublishedStudy study;
  const auto report =
      nlohmann::json::parse(study.predict({"--format", "json", "--sweep", "link=100,400"}).out);
  const std::pair<const char*, const char*> pairs[] = {{"step_s", "step_bounds_s"},
                                                       {"epoch_s", "epoch_bounds_s"},
                                                       {"efficiency", "efficiency_bounds"},
                                                       {"gpu_hours", "gpu_hours_bounds"}};
  for (const auto& table : report.at("tables")) {
    std::set<std::string> columns;
    for (const auto& column : table.at("columns")) columns.insert(column.at("id"));
    for (const auto& [value, band] : pairs) {
      INFO(table.at("id") << " " << value);
      CHECK(columns.contains(value) == columns.contains(band));
    }
  }
}

TEST_CASE("samples in memory give narrower bands than an input pipeline") {
  PublishedStudy study;
  const std::vector<std::string> made_up{
      "-S", "training.dataset={kind=\"synthetic\",shape=\"3x224x224\",classes=1000}"};
  const double memory = least_efficiency(study.row("ddp", "synthetic", 1024, made_up));
  CHECK(memory > 2 * least_efficiency(study.row("ddp", "native", 1024)));
  CHECK(memory < 0.6);
}

TEST_CASE("runs on 2 GPUs barely narrow the band of 1024, and runs on 128 narrow all bands") {
  PublishedStudy study;
  const auto file = study.dlscale.folder / "c.json";
  const auto least_on = [&](int gpus) {
    return least_efficiency(study.row("ddp", "native", gpus, {"--calibration", "c.json"}));
  };
  base::write_file_atomically(file, calibration_on(2));
  CHECK(least_on(1024) < 0.24);
  CHECK(least_on(4) == 1);  // by definition, the efficiency of the baseline is 1
  const double far = least_on(128);
  base::write_file_atomically(file, calibration_on(128));
  CHECK(least_on(128) > 2 * far);
  CHECK(least_on(1024) < least_on(128));
}

TEST_CASE("a calibration without the loader's data does not narrow bands for loading") {
  PublishedStudy study;
  base::write_file_atomically(study.dlscale.folder / "c.json", calibration_on(128));
  const std::vector<std::string> calibrated{"--calibration", "c.json"};
  CHECK(least_efficiency(study.row("ddp", "dali_cpu", 128, calibrated)) <
        least_efficiency(study.row("ddp", "native", 128, calibrated)) / 2);
}
