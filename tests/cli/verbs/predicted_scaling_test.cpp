// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale predict` over GPU counts, with batches, sweeps, bands, memory and figures.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "tests/cli/dlscale_program.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using Catch::Contains;

namespace {

std::string scaling_study(const char* scaling, const char* framework, const char* batch) {
  return fmt::format(R"(
[study]
name = "small"
scaling = "{}"
[matrix]
framework = ["{}"]
model = ["mlp"]
gpus = [1, 2, 4]
{}
[training]
dataset.kind = "cifar10"
dataset.path = "data"
epochs = 2
lr.base = 0.1
)",
                     scaling, framework, batch);
}

const std::string kStrongStudy = scaling_study("strong", "ddp", "global_batch = [64]");
const std::string kWeakStudy = scaling_study("weak", "horovod", "batch_per_gpu = [32]");

using CsvRow = std::map<std::string, std::string>;

std::vector<std::string> csv_cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream rest(line);
  for (std::string cell; std::getline(rest, cell, ',');) cells.push_back(cell);
  return cells;
}

/// Folder with a study and a model card, in which the program writes predictions.
struct ScalingPrediction {
  explicit ScalingPrediction(const std::string& study) {
    base::write_file_atomically(dlscale.folder / "study.toml", study);
    contract::ModelCard card = test::made_card();
    card.model = "mlp";
    card.input = {3, 32, 32};
    card.classes = 10;
    base::make_directories(dlscale.folder / "made");
    base::write_file_atomically(dlscale.folder / "made/mlp-3x32x32-10.json", to_json(card));
  }
  /// Writes a calibration with steps at these batches and all-reduces of 0.5 s on this number of
  /// nodes and ranks.
  void calibrate(const std::vector<int>& batches, int nodes, int ranks,
                 const std::string& topology = "") {
    std::string steps, reduces;
    for (const int batch : batches) {
      steps += std::string(steps.empty() ? "" : ",") +
               R"({"model": "mlp", "input": [3, 32, 32], "forward_s": 1, "backward_s": 2, )" +
               R"("optimizer_s": 0.25, "batch": )" + std::to_string(batch) + "}";
    }
    for (const char* bytes : {"1000", "1000000", "1000000000"}) {
      reduces += std::string(reduces.empty() ? "" : ",") + R"({"topology": ")" + topology +
                 R"(", "nodes": )" + std::to_string(nodes) + R"(, "gpus": )" +
                 std::to_string(ranks) + R"(, "seconds": 0.5, "bytes": )" + bytes + "}";
    }
    base::write_file_atomically(
        dlscale.folder / "c.json",
        R"({"schema_version": 1, "all_reduce": [)" + reduces + R"(], "compute": [)" + steps + "]}");
  }
  test::Ran run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"predict", "study.toml", "--cards", "made", "-o", "out", "--format", "csv"});
    return dlscale.run(arguments);
  }
  test::Ran succeed(const std::vector<std::string>& arguments) {
    test::Ran ran = run(arguments);
    INFO(ran.err);
    REQUIRE(ran.exit_code == 0);
    return ran;
  }
  std::string file(const std::string& name) const {
    return base::read_file(dlscale.folder / ("out/" + name));
  }
  bool wrote(const std::string& name) const {
    return std::filesystem::exists(dlscale.folder / ("out/" + name));
  }
  /// Returns the column names of a table.
  std::vector<std::string> header(const std::string& table) const {
    std::istringstream text(file(table + ".csv"));
    std::string line;
    while (std::getline(text, line) && line.starts_with('#')) continue;
    return csv_cells(line);
  }
  /// Returns the rows of a table without its comments.
  std::vector<CsvRow> rows(const std::string& table) const {
    std::istringstream text(file(table + ".csv"));
    std::vector<std::string> header;
    std::vector<CsvRow> rows;
    for (std::string line; std::getline(text, line);) {
      if (line.starts_with('#')) continue;
      const std::vector<std::string> cells = csv_cells(line);
      if (header.empty()) {
        header = cells;
        continue;
      }
      CsvRow row;
      for (std::size_t i = 0; i < cells.size(); ++i) row[header[i]] = cells[i];
      rows.push_back(std::move(row));
    }
    return rows;
  }
  /// Returns the numbers of a column by GPU count.
  std::map<int, double> column(const std::string& table, const std::string& name) const {
    std::map<int, double> values;
    for (const CsvRow& row : rows(table))
      values[std::stoi(row.at("gpus"))] = std::stod(row.at(name));
    return values;
  }
  test::DlscaleProgram dlscale;
};

}  // namespace

TEST_CASE("strong scaling divides the batch among GPUs, in times and in sweeps") {
  ScalingPrediction prediction(kStrongStudy);
  const test::Ran ran = prediction.succeed(
      {"--site", "altec", "--up-to", "128", "--sweep", "gpus=1,4,64,128", "--sweep", "link=97.92"});
  CHECK(prediction.column("predicted-times", "batch_per_gpu") ==
        std::map<int, double>{{1, 64}, {2, 32}, {4, 16}, {8, 8}, {16, 4}, {32, 2}, {64, 1}});
  const auto times = prediction.column("predicted-times", "step_s");
  const auto swept = prediction.column("sweep-gpus", "step_s");
  CHECK(swept.size() == 3);
  for (const auto& [gpus, step_s] : swept) CHECK(step_s == Approx(times.at(gpus)));
  CHECK_THAT(ran.out, Contains("GPUs 128: a GPU has less than one sample"));
  const auto links = prediction.rows("sweep-link");
  // The only row is for the link of the partition and the largest planned number of GPUs.
  REQUIRE(links.size() == 1);
  CHECK(std::stod(links[0].at("step_s")) == Approx(times.at(4)));
}

TEST_CASE("a swept batch is the batch of one GPU, even with strong scaling") {
  ScalingPrediction prediction(kStrongStudy);
  prediction.succeed({"--site", "altec", "--up-to", "8", "--sweep", "batch=16,32"});
  const auto swept = prediction.rows("sweep-batch");
  REQUIRE(swept.size() == 2);
  CHECK(std::stod(swept[0].at("step_s")) ==
        Approx(prediction.column("predicted-times", "step_s").at(4)));
  CHECK(std::stod(swept[1].at("step_s")) > std::stod(swept[0].at("step_s")));
}

TEST_CASE("strong sub-studies of a weak study and throughput studies divide the global batch") {
  const auto batches_of_64 = [](const std::string& substudy) {
    ScalingPrediction prediction(kWeakStudy + "[[substudy]]\nname = \"weak\"\n" +
                                 "[[substudy]]\nname = \"other\"\n" +
                                 "matrix = { global_batch = [64] }\n" + substudy);
    prediction.succeed({"--site", "altec", "--up-to", "8"});
    std::map<int, std::string> strong, weak;
    for (const CsvRow& row : prediction.rows("predicted-times")) {
      const bool is_strong = row.contains("global_batch") && row.at("global_batch") == "64";
      (is_strong ? strong : weak)[std::stoi(row.at("gpus"))] = row.at("batch_per_gpu");
    }
    CHECK(weak == std::map<int, std::string>{{1, "32"}, {2, "32"}, {4, "32"}, {8, "32"}});
    return strong;
  };
  // Two GPUs with 32 samples each already form a run of the weak sub-study.
  const std::map<int, std::string> divided{{1, "64"}, {4, "16"}, {8, "8"}};
  CHECK(batches_of_64("scaling = \"strong\"\n") == divided);
  CHECK(batches_of_64("scaling = \"throughput\"\n") == divided);
}

TEST_CASE("the planned batch is used if the first count of a strong study is left out") {
  ScalingPrediction prediction(kStrongStudy);
  prediction.calibrate({16}, 1, 4);
  const test::Ran ran = prediction.succeed({"--calibration", "c.json", "-S", "matrix.gpus=[2,4]"});
  CHECK_THAT(ran.out, Contains("no all-reduce that applies to 2 ranks"));
  CHECK(prediction.column("predicted-times", "batch_per_gpu") == std::map<int, double>{{4, 16}});
  CHECK(prediction.column("predicted-times", "efficiency") == std::map<int, double>{{4, 1}});
}

TEST_CASE("accumulated batches count as each run accumulates them") {
  ScalingPrediction prediction(kStrongStudy);
  prediction.calibrate({16, 32}, 4, 4, "switch");
  prediction.succeed({"--site", "altec", "--calibration", "c.json", "--up-to", "4", "-S",
                      "training.max_batch_per_gpu=16"});
  CHECK(prediction.column("predicted-times", "batch_per_gpu") ==
        std::map<int, double>{{1, 16}, {2, 16}, {4, 16}});
  CHECK(prediction.column("predicted-times", "step_s").at(1) == Approx(4 * 3 + 0.25));
}

TEST_CASE("sweeps leave out values without data and report the reason") {
  ScalingPrediction prediction(kWeakStudy);
  prediction.calibrate({32}, 1, 4);
  const std::vector<std::string> local{"--calibration", "c.json", "-S", "matrix.gpus=[1,4]"};
  auto several = local;
  several.insert(several.end(), {"--sweep", "gpus=1,2,4,64", "--sweep", "peak", "--sweep", "link"});
  const test::Ran ran = prediction.succeed(several);
  CHECK_THAT(ran.out, Contains("GPUs 2, 64: the calibration has no all-reduce that applies"));
  CHECK(prediction.column("sweep-gpus", "step_s").size() == 2);
  CHECK_THAT(ran.err, Contains("--sweep peak: the measured steps of"));
  CHECK_FALSE(prediction.wrote("sweep-peak.csv"));
  CHECK_FALSE(prediction.wrote("sweep-peak-figure.csv"));
  CHECK_THAT(ran.err, Contains("--sweep link: all GPUs are on one node"));
  CHECK_FALSE(prediction.wrote("sweep-link.csv"));
  auto alone = local;
  alone.insert(alone.end(), {"--sweep", "peak"});
  const test::Ran refused = prediction.run(alone);
  CHECK(refused.exit_code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("dlscale: --sweep peak: the measured steps of"));
}

TEST_CASE("columns have unique names if the batch per GPU is an axis") {
  ScalingPrediction prediction(scaling_study("weak", "ddp", "batch_per_gpu = [16, 32]"));
  prediction.succeed({"--site", "altec", "--up-to", "8", "--sweep", "batch=64"});
  for (const char* table :
       {"predicted-times", "predicted-knee", "predicted-memory", "sweep-batch"}) {
    INFO(table);
    const std::vector<std::string> names = prediction.header(table);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
  }
  for (const CsvRow& row : prediction.rows("predicted-times")) {
    CHECK(row.at("axis_batch_per_gpu") == row.at("batch_per_gpu"));
  }
  const auto swept = prediction.rows("sweep-batch");
  REQUIRE(swept.size() == 2);
  CHECK(swept[1].at("axis_batch_per_gpu") == "32");
  CHECK(swept[1].at("batch_per_gpu") == "64");
}

TEST_CASE("memory is predicted for every planned count") {
  ScalingPrediction prediction(kWeakStudy);
  prediction.succeed({"--site", "altec", "--up-to", "64"});
  const auto needs = prediction.column("predicted-memory", "memory_bytes");
  REQUIRE(needs.size() == 3);
  CHECK(needs.at(2) > needs.at(1) + 50e6);  // size of the fusion buffer
  CHECK(needs.at(4) == Approx(needs.at(2)));
  ScalingPrediction strong(kStrongStudy);
  strong.succeed({"--site", "altec"});
  CHECK(strong.column("predicted-memory", "batch_per_gpu") ==
        std::map<int, double>{{1, 64}, {2, 32}, {4, 16}});
}

TEST_CASE("bands are wider and noted far from measured batches and counts") {
  ScalingPrediction prediction(kWeakStudy);
  const auto high = [&](int gpus) {
    return prediction.column("predicted-times", "step_bounds_s_high").at(gpus) /
           prediction.column("predicted-times", "step_s").at(gpus);
  };
  const std::vector<std::string> altec{"--site", "altec",   "--calibration",
                                       "c.json", "--up-to", "64"};
  prediction.calibrate({32}, 2, 2, "switch");
  const test::Ran near = prediction.succeed(altec);
  CHECK_THAT(near.out, !Contains("far from the measured batches"));
  CHECK_THAT(near.out, Contains("from 32 GPUs on: more than 8 times the 2"));
  const double at_batch = high(1), at_count = high(2);
  CHECK(at_batch < 1.1);
  CHECK(high(4) > at_count);
  CHECK(high(64) > high(4));
  prediction.calibrate({8}, 2, 2, "switch");
  CHECK_THAT(prediction.succeed(altec).out,
             Contains("batches of 32 per GPU are far from the measured batches (8)"));
  CHECK(high(1) >= 1.2);
}

TEST_CASE("the knee has bands of count, epoch, GPU-hours and efficiency") {
  ScalingPrediction prediction(kWeakStudy);
  prediction.succeed({"--site", "altec", "--up-to", "256"});
  const auto knee = prediction.rows("predicted-knee");
  REQUIRE(knee.size() == 1);
  const auto number = [&](const std::string& column) { return std::stod(knee[0].at(column)); };
  CHECK(number("gpus_bounds_low") <= number("gpus"));
  CHECK(number("gpus") <= number("gpus_bounds_high"));
  CHECK(number("epoch_bounds_s_high") > number("epoch_s"));
  CHECK(number("gpu_hours_bounds_high") / number("gpu_hours") ==
        Approx(number("epoch_bounds_s_high") / number("epoch_s")));
  CHECK(number("efficiency_bounds_low") <= number("efficiency"));
}

TEST_CASE("predicted figures of efficiency, throughput, epochs and sweeps have dashed lines") {
  ScalingPrediction prediction(kWeakStudy);
  const test::Ran ran =
      prediction.succeed({"--site", "altec", "--up-to", "64", "--sweep", "link=1,100"});
  CHECK_THAT(ran.err, Contains("4 tables and 4 figures to out"));
  for (const char* figure : {"predicted-efficiency", "predicted-throughput", "predicted-epoch-time",
                             "sweep-link-figure"}) {
    INFO(figure);
    CHECK_THAT(prediction.file(std::string(figure) + ".svg"), Contains("class=\"line dashed\""));
  }
  CHECK_THAT(prediction.file("predicted-throughput.svg"), Contains("class=\"band\""));
  CHECK_THAT(prediction.file("predicted-epoch-time.svg"), Contains("class=\"band\""));
}

TEST_CASE("a sweep of the memory bandwidth changes the computation and not the communication") {
  ScalingPrediction prediction(kWeakStudy);
  prediction.succeed({"--site", "altec", "--up-to", "4", "--sweep", "memory=450,900"});
  const auto swept = prediction.rows("sweep-memory");
  REQUIRE(swept.size() == 2);
  CHECK(swept[0].at("memory_gb_per_s") == "450");
  CHECK(std::stod(swept[0].at("computing_s")) > std::stod(swept[1].at("computing_s")));
  CHECK(swept[0].at("communication_s") == swept[1].at("communication_s"));
  // 900 GB/s is the memory bandwidth of the V100 of the site.
  CHECK(std::stod(swept[1].at("step_s")) ==
        Approx(prediction.column("predicted-times", "step_s").at(4)));
}

TEST_CASE("a sweep figure has the step, its parts and a line at the value without the sweep") {
  ScalingPrediction prediction(kWeakStudy);
  prediction.succeed({"--site", "altec", "--up-to", "4", "--sweep", "memory=400,1000"});
  std::map<std::string, std::map<double, double>> lines;
  for (const CsvRow& row : prediction.rows("sweep-memory-figure")) {
    lines[row.at("series")][std::stod(row.at("memory_gb_per_s"))] = std::stod(row.at("step_s"));
  }
  CHECK(lines.size() == 3);
  // The lines pass through 900 GB/s, the value of the site.
  for (const auto& [label, points] : lines) {
    INFO(label);
    CHECK(points.size() == 3);
    CHECK(points.contains(900));
  }
  const std::string svg = prediction.file("sweep-memory-figure.svg");
  CHECK_THAT(svg, Contains("class=\"ideal\"") && Contains("without the sweep: 900 GB/s"));
  CHECK_THAT(svg, Contains("mlp: roofline") && Contains("mlp: communication") &&
                      Contains("mlp: step") && !Contains("kernel models"));
}

namespace {

/// Returns a kernel model that predicts one second for all sizes of `input` up to 1e12.
contract::KernelModel one_second(const char* kernel, const char* input) {
  return {.kernel = kernel,
          .inputs = {input},
          .input_mean = {0},
          .input_deviation = {1},
          .input_least = {1},
          .input_most = {1e12},
          .layers = {{{0}, {0}}}};
}

}  // namespace

TEST_CASE("a sweep shows kernel models next to the roofline if they cover the model") {
  ScalingPrediction prediction(kWeakStudy);
  const std::vector<std::string> sweep{"--site",  "altec",    "--up-to",       "4",
                                       "--sweep", "batch=32", "--calibration", "c.json"};
  contract::ModelCard card = test::sized_card();
  card.model = "mlp";
  card.input = {3, 32, 32};
  card.classes = 10;
  base::write_file_atomically(prediction.dlscale.folder / "made/mlp-3x32x32-10.json",
                              to_json(card));
  contract::Calibration calibration;
  for (const char* kernel : {"convolution_forward", "convolution_backward_filter", "linear_forward",
                             "linear_backward_data", "linear_backward_filter"}) {
    calibration.kernel_models.push_back(one_second(kernel, "b"));
  }
  for (const char* kernel : {"relu_forward", "relu_backward", "sgd_update"}) {
    calibration.kernel_models.push_back(one_second(kernel, "n"));
  }
  base::write_file_atomically(prediction.dlscale.folder / "c.json", to_json(calibration));
  prediction.succeed(sweep);
  const auto swept = prediction.rows("sweep-batch");
  REQUIRE(swept.size() == 1);
  // The first layer needs no gradient of its input, so the step has eight kernels.
  CHECK(std::stod(swept[0].at("kernel_models_s")) == Approx(8));
  CHECK(swept[0].at("kernel_models_s") == swept[0].at("computing_s"));
  CHECK(std::stod(swept[0].at("roofline_s")) < std::stod(swept[0].at("kernel_models_s")));
  CHECK_THAT(prediction.file("sweep-batch-figure.svg"), Contains("mlp: kernel models"));
}
