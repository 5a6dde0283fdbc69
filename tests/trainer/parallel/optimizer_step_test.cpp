// SPDX-License-Identifier: Apache-2.0
#include "trainer/parallel/optimizer_step.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "trainer/checkpoint/tensor_archive.hpp"

using namespace dlscale;

namespace {

trainer::OptimizerStep make_step(const contract::RunSpec& spec,
                                 const std::vector<at::Tensor>& tensors) {
  return {spec, tensors,
          base::find(trainer::optimizer_table(), "optimizer", "sgd").make({}, {tensors})};
}

}  // namespace

TEST_CASE("the parameter mean follows its decay and can be swapped with the parameters") {
  contract::RunSpec spec;
  spec.ema_decay = 0.75;
  const at::Tensor parameter = torch::full({3}, 2.0, torch::kDouble).requires_grad_();
  auto step = make_step(spec, {parameter});
  double mean = 2;
  for (int i = 1; i <= 5; ++i) {
    parameter.mutable_grad() = torch::ones({3}, torch::kDouble);
    step.step(0.5);
    mean = 0.75 * mean + 0.25 * (2 - 0.5 * i);
  }
  REQUIRE(step.has_mean());
  CHECK(step.state().back().name == "ema_0");
  CHECK(torch::allclose(step.state().back().tensor, torch::full({3}, mean, torch::kDouble), 1e-14));
  step.swap_ema_weights();
  CHECK(torch::allclose(parameter, torch::full({3}, mean, torch::kDouble), 1e-14));
  step.swap_ema_weights();
  CHECK(torch::equal(parameter, torch::full({3}, -0.5, torch::kDouble)));
}

TEST_CASE("a skipped step does not change the parameter mean") {
  contract::RunSpec spec;
  spec.ema_decay = 0.5;
  spec.precision = "fp16";
  const at::Tensor parameter = torch::ones({2}, torch::requires_grad());
  auto step = make_step(spec, {parameter});
  parameter.mutable_grad() = torch::full({2}, INFINITY);
  step.step(0.1);
  CHECK(torch::equal(step.state().back().tensor, torch::ones({2})));
}

TEST_CASE("without ema_decay there is no parameter mean and a swap changes nothing") {
  const at::Tensor parameter = torch::ones({2}, torch::requires_grad());
  auto step = make_step({}, {parameter});
  CHECK_FALSE(step.has_mean());
  step.swap_ema_weights();
  CHECK(torch::equal(parameter, torch::ones({2})));
  CHECK(step.state().empty());
}
