// SPDX-License-Identifier: Apache-2.0
// Tests of Adam, AdamW and LARS against PyTorch and their papers, and of parameters split into
// pieces.
#include "trainer/optim/optimizers/adam.hpp"

#include <torch/optim.h>
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/trainer/optim/random_parameters.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/optim/step_unit.hpp"

using namespace dlscale;
using test::give_gradients;
using test::random_parameters;

namespace {

std::unique_ptr<trainer::Optimizer> make_moment_optimizer(const contract::OptimizerSpec& spec,
                                                          const trainer::Stepped& stepped) {
  return base::find(trainer::optimizer_table(), "optimizer", spec.kind).make(spec, stepped);
}

/// Runs 10 steps of both optimizers with decreasing learning rates and compares the parameters.
template <class Options, class Reference>
void check_like_pytorch(const contract::OptimizerSpec& spec, Options options) {
  const auto ours = random_parameters();
  const auto theirs = random_parameters();
  const auto optimizer = make_moment_optimizer(spec, {ours});
  Reference reference(theirs, options);
  for (int step = 0; step < 10; ++step) {
    give_gradients(ours, theirs);
    const double rate = 0.1 / (step + 1);
    static_cast<Options&>(reference.param_groups()[0].options()).lr(rate);
    optimizer->step(rate);
    reference.step();
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CHECK(torch::allclose(ours[i], theirs[i], /*rtol=*/1e-12, /*atol=*/1e-12));
  }
}

/// Returns elements `first` to `last` of the flattened parameters, like the shard of a ZeRO rank.
trainer::Stepped flat_piece(const std::vector<at::Tensor>& parameters, std::int64_t first,
                            std::int64_t last) {
  std::vector<at::Tensor> values, gradients;
  trainer::Stepped stepped;
  std::int64_t at = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    values.push_back(parameters[i].detach().flatten());
    gradients.push_back(parameters[i].grad().flatten());
    const std::int64_t begin = std::max(at, first);
    const std::int64_t end = std::min(at + parameters[i].numel(), last);
    const std::int64_t count = std::max<std::int64_t>(0, end - begin);
    stepped.pieces.push_back({.first = count > 0 ? begin - first : 0,
                              .count = count,
                              .parameter = i,
                              .is_weight = parameters[i].dim() >= 2});
    at += parameters[i].numel();
  }
  stepped.tensors = {torch::cat(values).slice(0, first, last).clone()};
  stepped.tensors[0].mutable_grad() = torch::cat(gradients).slice(0, first, last).clone();
  return stepped;
}

}  // namespace

TEST_CASE("adam and adamw step like PyTorch's, with and without weight decay") {
  for (const double decay : {0.0, 1e-2}) {
    contract::OptimizerSpec spec{.kind = "adam", .weight_decay = decay};
    spec.adam = {.beta1 = 0.8, .beta2 = 0.95, .epsilon = 1e-6};
    check_like_pytorch<torch::optim::AdamOptions, torch::optim::Adam>(
        spec, torch::optim::AdamOptions(0.1).betas({0.8, 0.95}).eps(1e-6).weight_decay(decay));
    spec.kind = "adamw";
    check_like_pytorch<torch::optim::AdamWOptions, torch::optim::AdamW>(
        spec, torch::optim::AdamWOptions(0.1).betas({0.8, 0.95}).eps(1e-6).weight_decay(decay));
  }
}

TEST_CASE("lars steps as in its paper, without adaptation of one-dimensional parameters") {
  contract::OptimizerSpec spec{.kind = "lars", .momentum = 0.9, .weight_decay = 1e-2};
  spec.lars = {.trust_coefficient = 0.01, .epsilon = 1e-6};
  const auto ours = random_parameters();
  const auto expected = random_parameters();
  std::vector<at::Tensor> velocity;
  for (const at::Tensor& each : expected) velocity.push_back(torch::zeros_like(each).detach());
  const auto optimizer = make_moment_optimizer(spec, {ours});
  for (int step = 0; step < 4; ++step) {
    give_gradients(ours, expected);
    optimizer->step(0.5);
    const torch::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double w = expected[i].norm().item<double>();
      const double g = expected[i].grad().norm().item<double>();
      const double ratio = expected[i].dim() > 1 ? 0.01 * w / (g + 1e-2 * w + 1e-6) : 1;
      velocity[i] = 0.9 * velocity[i] + 0.5 * ratio * (expected[i].grad() + 1e-2 * expected[i]);
      expected[i].sub_(velocity[i]);
      CHECK(torch::allclose(ours[i], expected[i], 1e-13, 1e-13));
    }
  }
}

TEST_CASE("lars moves parameters that are zero, and keeps parameters without gradient and decay") {
  const contract::OptimizerSpec spec{.kind = "lars"};
  const at::Tensor zero = torch::zeros({2, 2}, torch::requires_grad());
  zero.mutable_grad() = torch::ones({2, 2});
  const at::Tensor still = torch::ones({2, 2}, torch::requires_grad());
  still.mutable_grad() = torch::zeros({2, 2});
  make_moment_optimizer(spec, {{zero, still}})->step(0.25);
  CHECK(torch::equal(zero, torch::full({2, 2}, -0.25)));
  CHECK(torch::equal(still, torch::ones({2, 2})));
}

TEST_CASE("with decayed = \"weights\" biases do not decay, in any optimizer") {
  for (const auto* entry : trainer::optimizer_table()) {
    INFO(entry->name);
    const contract::OptimizerSpec spec{
        .kind = entry->name, .weight_decay = 0.5, .decayed = "weights"};
    const auto tensors = std::vector<at::Tensor>{torch::ones({2, 2}, torch::requires_grad()),
                                                 torch::ones({4}, torch::requires_grad())};
    for (const at::Tensor& each : tensors) each.mutable_grad() = torch::zeros_like(each).detach();
    if (spec.kind == "lars") tensors[0].mutable_grad().fill_(1e-3);
    make_moment_optimizer(spec, {tensors})->step(0.1);
    CHECK(tensors[0].max().item<double>() < 1);
    CHECK(torch::equal(tensors[1], torch::ones({4})));
  }
}

TEST_CASE("flat pieces of parameters step like whole parameters, in any optimizer") {
  for (const auto* entry : trainer::optimizer_table()) {
    contract::OptimizerSpec spec{.kind = entry->name, .weight_decay = 0.1, .decayed = "weights"};
    if (spec.kind == "sgd" || spec.kind == "lars") spec.momentum = 0.9;
    if (spec.kind == "sgd") spec.dampening = 0.5;
    const auto whole = random_parameters();
    give_gradients(whole, whole);
    const trainer::Stepped flat = flat_piece(whole, 0, 30);
    const auto by_parameter = make_moment_optimizer(spec, {whole});
    const auto by_piece = make_moment_optimizer(spec, flat);
    for (int step = 0; step < 3; ++step) {
      by_parameter->step(0.1);
      by_piece->step(0.1);
    }
    std::vector<at::Tensor> values;
    for (const at::Tensor& each : whole) values.push_back(each.detach().flatten());
    INFO(entry->name);
    CHECK(torch::allclose(torch::cat(values), flat.tensors[0], 1e-13, 1e-13));
  }
}

TEST_CASE("pieces without elements on this rank are not units of a step") {
  const auto parameters = random_parameters();
  give_gradients(parameters, parameters);
  // The piece contains a part of the bias and the whole last parameter.
  const trainer::Stepped flat = flat_piece(parameters, 16, 30);
  const contract::OptimizerSpec spec{.weight_decay = 0.1, .decayed = "weights"};
  CHECK(trainer::units_by_parameter(spec, flat).size() == 3);
  const auto units = trainer::units_by_decay(spec, flat);
  REQUIRE(units.size() == 2);
  CHECK_FALSE(units[0].decays);
  CHECK(units[0].piece.count == 2);
  CHECK(units[1].decays);
  CHECK(units[1].of(flat.tensors[0]).numel() == 12);
  CHECK(trainer::units_by_decay({.weight_decay = 0.1}, flat).size() == 1);
}
