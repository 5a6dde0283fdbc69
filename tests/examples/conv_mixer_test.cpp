// SPDX-License-Identifier: Apache-2.0
// Tests of the model in examples/extension.
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "tests/trainer/models/made_model.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/models/block_cost.hpp"
#include "trainer/optim/loss.hpp"
#include "trainer/optim/optimizer.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

std::unique_ptr<trainer::Model> make(const trainer::ImageShape& shape,
                                     Precision precision = Precision::fp32) {
  return test::make_model("conv_mixer", test::model_context(shape, 7, precision));
}

}  // namespace

TEST_CASE("conv_mixer learns digits within 90 steps") {
  const auto set = base::find(trainer::dataset_table(), "dataset", "synthetic_digits")
                       .load({"synthetic_digits", "", 960, 10});
  const auto loader =
      base::find(trainer::loader_table(), "loader", "memory").make({set, set.train});
  const auto model = test::make_model("conv_mixer", test::model_context(set.shape, set.classes));
  const auto sgd = base::find(trainer::optimizer_table(), "optimizer", "sgd")
                       .make({.momentum = 0.9}, {model->parameters()});
  std::vector<std::int64_t> samples(960);
  std::iota(samples.begin(), samples.end(), 0);
  std::vector<double> losses;
  for (int epoch = 0; epoch < 3; ++epoch) {
    loader->start({samples, 32, epoch});
    for (auto batch = loader->next(); batch.size() > 0; batch = loader->next()) {
      const at::Tensor loss = trainer::cross_entropy(model->forward(batch.input), batch.target, 0);
      losses.push_back(loss.item<double>());
      for (const at::Tensor& each : model->parameters()) each.mutable_grad().reset();
      loss.backward();
      sgd->step(0.05);
    }
  }
  REQUIRE(losses.size() == 90);
  CHECK(losses.front() == Approx(std::log(10)).margin(0.6));
  CHECK(losses.back() < 0.5 * losses.front());
}

TEST_CASE("conv_mixer has the parameters of its layers") {
  const auto model = make({3, 32, 32});
  const int norm = 2 * 64, layer = 64 * 25 + 64 + norm + 64 * 64 + 64 + norm;
  CHECK(trainer::parameter_count(*model) == 64 * 3 * 16 + 64 + norm + 4 * layer + 64 * 7 + 7);
}

TEST_CASE(
    "the blocks of conv_mixer have all parameters of the model and the expected output shapes") {
  const auto model = make({3, 32, 32});
  const auto costs = trainer::measure_blocks(*model, {3, 32, 32});
  REQUIRE(costs.size() == 6);
  double parameters = 0;
  for (const auto& cost : costs) parameters += cost.parameters;
  CHECK(parameters == static_cast<double>(trainer::parameter_count(*model)));
  CHECK(costs[0].output == std::vector<std::int64_t>{64, 8, 8});
  CHECK(costs[5].output == std::vector<std::int64_t>{7});
}

TEST_CASE("conv_mixer gives every parameter a gradient, in both precisions and memory formats") {
  const auto precision = GENERATE(Precision::fp32, Precision::fp64);
  auto context = test::model_context({3, 8, 9}, 7, precision);
  context.channels_last = GENERATE(false, true);
  const auto model = test::make_model("conv_mixer", context);
  const auto type = precision == Precision::fp64 ? torch::kDouble : torch::kFloat;
  const at::Tensor output = model->forward(torch::randn({5, 3, 8, 9}, type));
  CHECK(output.sizes() == at::IntArrayRef{5, 7});
  CHECK(output.scalar_type() == type);
  trainer::cross_entropy(output, torch::arange(5), 0).backward();
  for (const at::Tensor& parameter : model->parameters()) {
    REQUIRE(parameter.grad().defined());
    CHECK(std::isfinite(parameter.grad().abs().sum().item<double>()));
    CHECK(parameter.grad().abs().sum().item<double>() > 0);
  }
}

TEST_CASE(
    "the state of conv_mixer determines its output, and the seed determines the initial state") {
  const auto one = make({1, 8, 8}, Precision::fp64);
  CHECK(torch::equal(one->parameters()[0], make({1, 8, 8}, Precision::fp64)->parameters()[0]));
  auto context = test::model_context({1, 8, 8}, 7, Precision::fp64);
  context.seed = 4;
  const auto other = test::make_model("conv_mixer", context);
  CHECK_FALSE(torch::equal(one->parameters()[0], other->parameters()[0]));
  const auto from = one->state(), to = other->state();
  REQUIRE(from.size() == to.size());
  const at::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < from.size(); ++i) to[i].tensor.detach().copy_(from[i].tensor);
  for (auto* model : {one.get(), other.get()}) model->set_training(false);
  const at::Tensor input = torch::randn({3, 1, 8, 8}, torch::kDouble);
  CHECK(torch::equal(one->forward(input), other->forward(input)));
}

TEST_CASE("conv_mixer rejects images that are smaller than a patch") {
  CHECK_THROWS_WITH(make({1, 3, 28}),
                    "model conv_mixer needs images of at least 4x4, these have a side of 3");
}
