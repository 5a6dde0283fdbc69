// SPDX-License-Identifier: Apache-2.0
#include "predict/kernel_model.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "predict/compute_fit.hpp"
#include "predict/roofline.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using predict::KernelSize;
using test::sized_card;

namespace {

/// Returns a model of `scale` seconds x the product of the inputs, for sizes from 1 to 1e12.
contract::KernelModel product(const std::string& kernel, const std::vector<std::string>& inputs,
                              double scale) {
  const std::size_t n = inputs.size();
  return {.kernel = kernel,
          .inputs = inputs,
          .input_mean = std::vector<double>(n, 0),
          .input_deviation = std::vector<double>(n, 1),
          .output_mean = std::log(scale),
          .input_least = std::vector<double>(n, 1),
          .input_most = std::vector<double>(n, 1e12),
          .layers = {{std::vector<double>(n, 1), {0}}}};
}

std::vector<contract::KernelModel> all_models() {
  const std::vector<std::string> image{"b", "c_in", "c_out"}, matrix{"b", "inputs", "outputs"};
  return {product("convolution_forward", image, 1e-6),
          product("convolution_backward_filter", image, 3e-6),
          product("relu_forward", {"n"}, 1e-9),
          product("relu_backward", {"n"}, 2e-9),
          product("linear_forward", matrix, 1e-7),
          product("linear_backward_data", matrix, 2e-7),
          product("linear_backward_filter", matrix, 4e-7),
          product("sgd_update", {"n"}, 1e-10)};
}

const predict::Rates kKernelRates{predict::teraflops(1), predict::gigabytes_per_s(100)};

}  // namespace

TEST_CASE("a kernel model applies ReLU to all layers except the last") {
  // The normalised ln b is 2. The hidden values are 2 and -2, and ReLU sets the second value to 0.
  // The output is 3 x 2 - 1 = 5.
  const contract::KernelModel model{.kernel = "relu_forward",
                                    .inputs = {"b"},
                                    .input_mean = {1},
                                    .input_deviation = {0.5},
                                    .output_mean = -10,
                                    .output_deviation = 0.5,
                                    .input_least = {1},
                                    .input_most = {100},
                                    .layers = {{{1, -1}, {0, 0}}, {{3, 7}, {-1}}}};
  CHECK(predict::evaluate(model, {{"b", std::exp(2.0)}}).value == Approx(std::exp(-7.5)));
  CHECK(predict::is_inside(model, {{"b", 100}}));
  CHECK(!predict::is_inside(model, {{"b", 101}}));
  CHECK(!predict::is_inside(model, {{"c", 5}}));
}

TEST_CASE("a step is the sum of its layers' kernels and the update of all parameters") {
  const auto learned = predict::learned_times(sized_card(), all_models(), 4, 0, kKernelRates);
  const auto& layers = learned.times.layers;
  CHECK(layers[0].forward.time.value == Approx(1e-6 * 4 * 2 * 5));
  // The input of the first layer has no gradient.
  CHECK(layers[0].backward.time.value == Approx(3e-6 * 4 * 2 * 5));
  CHECK(layers[1].forward.time.value == Approx(1e-9 * 4 * 100));
  CHECK(layers[1].backward.time.value == Approx(2e-9 * 4 * 100));
  CHECK(layers[2].backward.time.value == Approx(6e-7 * 4 * 10 * 3));
  CHECK(learned.times.optimizer.value == Approx(1e-10 * 75e6));
  CHECK(learned.learned == Approx(1));
  CHECK(learned.unknown.empty());
}

TEST_CASE("kernels without a model keep the roofline time and are reported") {
  auto models = all_models();
  models[0].input_most = {2, 1e12, 1e12};  // batches up to 2
  models.erase(models.begin() + 2);        // no relu_forward
  contract::ModelCard card = sized_card();
  card.layers[2].size.clear();  // format of older cost models
  const auto learned = predict::learned_times(card, models, 4, 1, kKernelRates);
  const auto bound = predict::roofline(card, kKernelRates, 4, 1);
  CHECK(learned.times.layers[0].forward.time == bound.layers[0].forward.time);
  CHECK(learned.times.layers[2].backward.time == bound.layers[2].backward.time);
  CHECK(learned.times.optimizer == bound.optimizer);
  CHECK(learned.times.layers[1].backward.time.value == Approx(2e-9 * 4 * 100));
  CHECK(learned.learned > 0);
  CHECK(learned.learned < 1);
  CHECK(learned.unknown ==
        std::vector<std::string>{
            "conv2d forward: outside the sizes on which convolution_forward was trained",
            "linear backward: not measured, or the cost model does not contain its size",
            "linear forward: not measured, or the cost model does not contain its size",
            "optimizer: there is no model of momentum_update",
            "relu_ forward: there is no model of relu_forward"});
}

TEST_CASE("kernel models of other number formats are not used") {
  auto models = all_models();
  for (contract::KernelModel& each : models) each.precision = "bf16";
  const auto learned = predict::learned_times(sized_card(), models, 4, 0, kKernelRates);
  CHECK(learned.learned == 0);
}

TEST_CASE("kernel models are used if they cover 90 % of a step, and otherwise the roofline") {
  predict::ComputeBasis basis{
      .rates = kKernelRates, .roofline_sure = {1, 3.5}, .kernels = all_models()};
  const auto learned = predict::learned_times(sized_card(), all_models(), 4, 0, kKernelRates);
  const auto known = predict::estimate_compute(sized_card(), 4, basis);
  CHECK(known.times.total() == learned.times.total());
  CHECK(known.sure.high == predict::kLearnedSure.high);
  for (auto& model : basis.kernels) model.input_most.assign(model.inputs.size(), 1);
  const auto unknown = predict::estimate_compute(sized_card(), 4, basis);
  CHECK(unknown.times.total() == predict::roofline(sized_card(), kKernelRates, 4, 0).total());
  CHECK(unknown.sure.high == 3.5);
}
