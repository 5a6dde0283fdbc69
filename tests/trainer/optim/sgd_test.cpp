// SPDX-License-Identifier: Apache-2.0
#include <torch/optim.h>
#include <torch/types.h>

#include <catch2/catch.hpp>

#include "tests/trainer/optim/random_parameters.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"
#include "trainer/optim/loss.hpp"
#include "trainer/optim/optimizer.hpp"

using namespace dlscale;
using test::give_gradients;
using test::random_parameters;

TEST_CASE("sgd steps like torch::optim::SGD for every combination of its settings") {
  const auto [momentum, dampening, nesterov, decay] =
      GENERATE(table<double, double, bool, double>({{0, 0, false, 0},
                                                    {0.9, 0, false, 0},
                                                    {0.9, 0.3, false, 0},
                                                    {0.9, 0, true, 0},
                                                    {0, 0, false, 1e-2},
                                                    {0.9, 0, true, 1e-2},
                                                    {0.8, 0.5, false, 1e-2}}));
  const auto ours = random_parameters();
  const auto theirs = random_parameters();
  const auto& sgd = base::find(trainer::optimizer_table(), "optimizer", "sgd");
  const auto optimizer = sgd.make(
      {.momentum = momentum, .dampening = dampening, .nesterov = nesterov, .weight_decay = decay},
      {ours});
  torch::optim::SGD reference(theirs, torch::optim::SGDOptions(0.1)
                                          .momentum(momentum)
                                          .dampening(dampening)
                                          .nesterov(nesterov)
                                          .weight_decay(decay));
  for (int step = 0; step < 5; ++step) {
    give_gradients(ours, theirs);
    const double rate = 0.1 / (step + 1);
    static_cast<torch::optim::SGDOptions&>(reference.param_groups()[0].options()).lr(rate);
    optimizer->step(rate);
    reference.step();
    for (std::size_t i = 0; i < ours.size(); ++i) {
      REQUIRE(torch::allclose(ours[i], theirs[i], /*rtol=*/1e-13, /*atol=*/1e-13));
    }
  }
}

TEST_CASE("every optimizer reduces a quadratic loss and does not change gradients") {
  for (const auto* entry : trainer::optimizer_table()) {
    INFO(entry->name);
    const std::vector<at::Tensor> parameters{torch::full({4}, 3.0, torch::requires_grad())};
    const auto optimizer = entry->make({}, {parameters});
    const at::Tensor loss = parameters[0].square().sum();
    loss.backward();
    const at::Tensor gradient = parameters[0].grad().clone();
    optimizer->step(0.01);
    CHECK(parameters[0].square().sum().item<double>() < loss.item<double>());
    CHECK(torch::equal(parameters[0].grad(), gradient));
  }
}

TEST_CASE("every optimizer restored from its state continues like an uninterrupted one") {
  for (const auto* entry : trainer::optimizer_table()) {
    INFO(entry->name);
    const contract::OptimizerSpec spec{.momentum = 0.9, .dampening = 0.3, .weight_decay = 1e-2};
    const auto whole = random_parameters();
    const auto optimizer = entry->make(spec, {whole});
    for (int step = 0; step < 3; ++step) {
      give_gradients(whole, whole);
      optimizer->step(0.1);
    }
    std::string saved;
    trainer::write_archive(optimizer->state(), [&](std::string_view bytes) { saved += bytes; });
    std::vector<at::Tensor> resumed;
    for (const at::Tensor& tensor : whole) {
      resumed.push_back(tensor.detach().clone().requires_grad_());
    }
    const auto later = entry->make(spec, {resumed});
    trainer::fill(later->state(), trainer::find_in_archive(saved, later->state()));
    for (int step = 0; step < 3; ++step) {
      give_gradients(whole, resumed);
      optimizer->step(0.1);
      later->step(0.1);
    }
    for (std::size_t i = 0; i < whole.size(); ++i) CHECK(torch::equal(whole[i], resumed[i]));
  }
}

TEST_CASE("label smoothing gives every class its share of the target") {
  const at::Tensor scores = torch::tensor({{2.0, -1.0, 0.5}, {0.0, 0.3, 1.0}}, torch::kDouble);
  const at::Tensor target = torch::tensor({0, 2});
  const double smoothing = 0.1;
  const at::Tensor log_p = scores - scores.logsumexp(1, /*keepdim=*/true);
  const at::Tensor share =
      torch::tensor({{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}, torch::kDouble) * (1 - smoothing) +
      smoothing / 3;
  const double expected = -(share * log_p).sum(1).mean().item<double>();
  CHECK(trainer::cross_entropy(scores, target, smoothing).item<double>() == Approx(expected));
}

TEST_CASE("without smoothing the loss is the negative log probability of the true class") {
  const at::Tensor scores = torch::tensor({{0.0, 0.0, 0.0, 0.0}});
  CHECK(trainer::cross_entropy(scores, torch::tensor({1}), 0).item<double>() ==
        Approx(std::log(4.0)));
}

TEST_CASE("sgd does not change a parameter without gradient, like torch::optim::SGD") {
  const auto ours = random_parameters();
  const auto theirs = random_parameters();
  const auto& sgd = base::find(trainer::optimizer_table(), "optimizer", "sgd");
  const auto optimizer = sgd.make({.momentum = 0.9, .dampening = 0.5, .weight_decay = 0.1}, {ours});
  torch::optim::SGD reference(
      theirs, torch::optim::SGDOptions(0.1).momentum(0.9).dampening(0.5).weight_decay(0.1));
  for (int step = 0; step < 4; ++step) {
    give_gradients(ours, theirs);
    ours[static_cast<std::size_t>(step) % 3].mutable_grad().reset();
    theirs[static_cast<std::size_t>(step) % 3].mutable_grad().reset();
    optimizer->step(0.1);
    reference.step();
    for (std::size_t i = 0; i < ours.size(); ++i) {
      REQUIRE(torch::allclose(ours[i], theirs[i], /*rtol=*/1e-13, /*atol=*/1e-13));
    }
  }
}
