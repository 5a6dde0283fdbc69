// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/fit_kernels.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "base/file.hpp"
#include "predict/kernel_model.hpp"
#include "tests/support/temp_dir.hpp"
#include "trainer/data/random_stream.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::read_kernel_fit;

namespace {

/// Returns `count` samples of a batch norm that takes 2 µs plus 0.1 ns per value.
std::vector<contract::KernelSample> made_samples(int count) {
  trainer::RandomStream random(3, 5);
  std::vector<contract::KernelSample> samples;
  for (int i = 0; i < count; ++i) {
    const double b = std::round(random.uniform(1, 64)), c = std::round(random.uniform(1, 64));
    const double h = std::round(random.uniform(1, 32));
    samples.push_back({.kernel = "batch_norm_forward",
                       .size = {{"b", b}, {"c", c}, {"h_in", h}},
                       .seconds = 2e-6 + 1e-10 * b * c * h * h,
                       .repetitions = 5,
                       .device = "a CPU",
                       .threads = 1});
  }
  return samples;
}

contract::Calibration taught(const std::vector<contract::KernelSample>& samples, int epochs) {
  contract::Calibration calibration;
  trainer::fit_into(calibration, samples, {.most_epochs = epochs},
                    [](int, int, const std::string&) {});
  return calibration;
}

std::string text_of(const std::vector<contract::KernelSample>& samples) {
  std::string text;
  for (const auto& each : samples) text += to_json_line(each) + "\n";
  return text;
}

}  // namespace

TEST_CASE("a fitted model of kernel times has an error below 5 % on held-out sizes") {
  const contract::Calibration calibration = taught(made_samples(400), 400);
  REQUIRE(calibration.kernel_models.size() == 1);
  const contract::KernelModel& model = calibration.kernel_models[0];
  CHECK(model.kernel == "batch_norm_forward");
  CHECK(model.layers.size() == 6);
  CHECK(model.layers[0].biases.size() == 50);
  CHECK(calibration.kernels.size() == 399);  // the samples contain one size twice
  CHECK(model.taught_with == 255);           // the training uses 4/5 of 4/5 of the 399 sizes
  CHECK(model.relative_error > 0);
  CHECK(model.relative_error < 0.05);
  CHECK(model.weighted_relative_error < 0.05);
  CHECK(calibration.device == "a CPU");
}

TEST_CASE("fitting twice gives the same model") {
  const auto samples = made_samples(60);
  CHECK((taught(samples, 5) == taught(samples, 5)));
}

TEST_CASE("evaluation without LibTorch gives the same times, also for a saved model") {
  const auto samples = made_samples(60);
  const contract::Calibration made = taught(samples, 20);
  const contract::Calibration read =
      contract::calibration_from_json(contract::to_json(made), "c.json");
  std::vector<trainer::KernelSize> sizes;
  for (const auto& each : samples) sizes.push_back(each.size);
  const std::vector<double> torch = trainer::ask_kernel_model(made.kernel_models[0], sizes);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK(predict::evaluate(read.kernel_models[0], sizes[i]).value ==
          Approx(torch[i]).epsilon(1e-6));
  }
}

TEST_CASE("fitted kernels are added to an existing calibration") {
  const test::TempDir folder;
  const std::string output = folder / "c.json";
  base::write_file_atomically(folder / "k.jsonl", text_of(made_samples(40)));
  const contract::Calibration before{
      .device = "a CPU", .source = "a test", .all_reduce = {{.gpus = 2, .bytes = 4, .seconds = 1}}};
  base::write_file_atomically(output, contract::to_json(before));
  const auto fit = read_kernel_fit({(folder / "k.jsonl").string(), "-o", output, "--epochs", "3"});
  CHECK_THAT(fit_kernels(fit), Contains("RE %") && Contains("batch_norm_forward"));
  const auto after = contract::calibration_from_json(base::read_file(output), output);
  CHECK((after.all_reduce == before.all_reduce));
  CHECK(after.source == "a test");
  CHECK(after.kernel_models.size() == 1);
}

TEST_CASE("unusable files of kernel times are rejected, and nothing is written") {
  const test::TempDir folder;
  const std::string file = folder / "k.jsonl", output = folder / "c.json";
  const auto refused = [&](const std::string& text, const std::string& message) {
    base::write_file_atomically(file, text);
    const auto fit = read_kernel_fit({file, "-o", output, "--epochs", "1"});
    CHECK_THROWS_WITH(fit_kernels(fit), Contains(message));
    CHECK(!std::filesystem::exists(output));
  };
  const std::string whole = text_of(made_samples(30));
  refused(whole.substr(0, whole.size() - 9), "k.jsonl:30: the line is incomplete");
  refused("", "the files contain no kernel times");
  refused(text_of(made_samples(10)), "no kernel has at least 25 sizes");
  auto mixed = made_samples(30);
  mixed[7].threads = 2;
  refused(text_of(mixed), "give files of one device");
  auto rotated = made_samples(30);
  rotated[7].made_with["rotated_bytes"] = "1048576";
  refused(text_of(rotated), "times with --rotate 0 and with --rotate 1048576");
  auto partial = made_samples(30);
  partial[3].size.erase("h_in");
  refused(text_of(partial), "a size of batch_norm_forward is incomplete; it needs b, c, h_in");
}

TEST_CASE("fitting into a calibration of another device is rejected") {
  const test::TempDir folder;
  const std::string output = folder / "c.json";
  base::write_file_atomically(folder / "k.jsonl", text_of(made_samples(30)));
  base::write_file_atomically(output, contract::to_json(contract::Calibration{.device = "other"}));
  const auto fit = read_kernel_fit({(folder / "k.jsonl").string(), "-o", output});
  CHECK_THROWS_WITH(fit_kernels(fit), Contains("the calibration is for other"));
}

TEST_CASE("fitting requires input files and an output file") {
  CHECK_THROWS_WITH(read_kernel_fit({}), Contains("FILE is missing"));
  CHECK_THROWS_WITH(read_kernel_fit({"k.jsonl"}), Contains("-o is missing"));
  CHECK_THROWS_WITH(read_kernel_fit({"k", "--epoch", "3"}), Contains("did you mean \"--epochs\"?"));
}
