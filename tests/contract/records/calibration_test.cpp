// SPDX-License-Identifier: Apache-2.0
#include "contract/records/calibration.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using Catch::Contains;
using contract::calibration_from_json;

namespace {

contract::Calibration made_calibration() {
  contract::Calibration made{.device = "a GPU", .communicator = "nccl", .source = "a test"};
  made.all_reduce = {{"nvswitch", 1, 8, 1 << 20, 1e-4, 0.9e-4, 1.1e-4, 20}};
  made.kernels = {{"convolution_forward", {{"b", 16}, {"c_in", 3}}, "fp32", 1e-3, 1e-5, 100}};
  made.kernel_models = {{.kernel = "relu_forward",
                         .inputs = {"b", "c"},
                         .input_mean = {1, 2},
                         .input_deviation = {1, 1},
                         .input_least = {1, 1},
                         .input_most = {9, 9},
                         .layers = {{{1, 2, 3, 4, 5, 6}, {0, 0, 0}}, {{1, 1, 1}, {0.5}}}}};
  made.compute = {{"resnet50", {3, 224, 224}, "fp32", 64, 0.01, 0.02, 0.001, 1e-4, 50, 4}};
  made.exchange = {{"ddp", 2, 8, 0.6, 0.5, 0.7, 6}};
  made.loading = {{"native", "cifar10", 1e-5, 0.9e-5, 1.2e-5, 6}};
  made.memory = {{"resnet50",
                  {3, 224, 224},
                  "fp32",
                  "ddp",
                  "cuda",
                  "native",
                  "imagenet",
                  4,
                  64,
                  9e9,
                  8e9,
                  7e9,
                  3}};
  made.all_reduce_fits = {
      {"nvswitch", 1, 8, 1024, 1 << 20, {1e-6, 0, 2e-6}, {1e-9, 1e-9, 1e-9}, {}, 0.01, 11}};
  made.compute_fits = {
      {"resnet50", {3, 224, 224}, "fp32", "forward", 4, {1e-3, 0, 2e-3}, {1e-4, 0, 2e-4}, 0.02, 3}};
  return made;
}

template <class Change>
void refused(const Change& change, const std::string& message) {
  contract::Calibration broken = made_calibration();
  change(broken);
  const std::string text = contract::to_json(broken);
  CHECK_THROWS_WITH(calibration_from_json(text, "c.json"), Contains("c.json: " + message));
}

}  // namespace

TEST_CASE("a calibration is read as it was written") {
  const std::string text = contract::to_json(made_calibration());
  CHECK(calibration_from_json(text, "c.json") == made_calibration());
  CHECK(contract::to_json(calibration_from_json(text, "c.json")) == text);
}

TEST_CASE("impossible measurements are rejected with their path") {
  using contract::Calibration;
  refused([](Calibration& c) { c.schema_version = 2; }, "schema_version: is 2");
  refused([](Calibration& c) { c.all_reduce[0].seconds = 0; }, "all_reduce[0].seconds");
  refused([](Calibration& c) { c.all_reduce[0].bytes = 0; }, "all_reduce[0].bytes");
  refused([](Calibration& c) { c.all_reduce[0].gpus = 1; }, "all_reduce[0].gpus");
  refused([](Calibration& c) { c.all_reduce[0].nodes = 9; }, "all_reduce[0].nodes");
  refused([](Calibration& c) { c.all_reduce[0].high_s = 1e-5; }, "all_reduce[0].low_s");
  refused([](Calibration& c) { c.kernels[0].seconds = -1; }, "kernels[0].seconds");
  refused([](Calibration& c) { c.compute[0].batch = 0; }, "compute[0].batch");
  refused([](Calibration& c) { c.compute[0].optimizer_s = -1; }, "compute[0].optimizer_s");
  refused([](Calibration& c) { c.compute[0].ranks_on_node = -1; }, "compute[0].ranks_on_node");
  refused([](Calibration& c) { c.exchange[0].hidden = 1.5; }, "exchange[0].hidden");
  refused([](Calibration& c) { c.exchange[0].nodes = 9; }, "exchange[0].nodes");
  refused([](Calibration& c) { c.loading[0].seconds_per_sample = -1; },
          "loading[0].seconds_per_sample");
}

TEST_CASE("impossible memory peaks are rejected with their path") {
  using contract::Calibration;
  refused([](Calibration& c) { c.memory[0].device = ""; }, "memory[0].device");
  refused([](Calibration& c) { c.memory[0].gpus = 0; }, "memory[0].gpus");
  refused([](Calibration& c) { c.memory[0].batch = 0; }, "memory[0].batch");
  refused([](Calibration& c) { c.memory[0].peak_memory_bytes = 0; },
          "memory[0].peak_memory_bytes: must be above 0");
  refused([](Calibration& c) { c.memory[0].card_bytes = -1; }, "memory[0].card_bytes");
  refused([](Calibration& c) { c.memory[0].activations_bytes = -1; },
          "memory[0].activations_bytes: must not be negative");
  refused([](Calibration& c) { c.memory[0].activations_bytes = 8.5e9; },
          "memory[0].activations_bytes: must be at most card_bytes");
}

TEST_CASE("an older calibration without memory peaks is read") {
  contract::Calibration earlier = made_calibration();
  earlier.memory.clear();
  const std::string text = contract::to_json(earlier);
  CHECK_THAT(text, !Contains("memory"));
  CHECK(calibration_from_json(text, "c.json") == earlier);
  CHECK_THROWS_WITH(
      calibration_from_json(R"({"schema_version": 1, "memory": [{"model": "mlp"}]})", "c.json"),
      Contains("c.json: memory[0]"));
}

TEST_CASE("the layers of a kernel model must have matching sizes") {
  using contract::Calibration;
  refused([](Calibration& c) { c.kernel_models[0].layers[0].weights.pop_back(); },
          "kernel_models[0].layers: each layer must have (number of inputs) x (number of biases) "
          "weights");
  refused([](Calibration& c) { c.kernel_models[0].layers.pop_back(); },
          "kernel_models[0].layers: the last layer must have exactly one output");
  refused([](Calibration& c) { c.kernel_models[0].input_mean.pop_back(); },
          "kernel_models[0].inputs");
}
