// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.hpp"

#include <torch/torch.h>

#include <catch2/catch.hpp>

#include "contract/vocabulary.hpp"
#include "trainer/checkpoint/named_tensor.hpp"
#include "trainer/optim/loss.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

std::unique_ptr<trainer::Device> cpu() {
  return base::find(trainer::device_table(), "device", "cpu").make({});
}

std::unique_ptr<trainer::Model> make(const std::string& name, const trainer::Device& device,
                                     trainer::ImageShape shape = {1, 28, 28}, int classes = 10,
                                     Precision precision = Precision::fp32) {
  return base::find(trainer::model_table(), "model", name)
      .make({shape, classes, precision, device, 3});
}

}  // namespace

TEST_CASE("every model runs forward and backward with finite results in both precisions") {
  const auto device = cpu();
  for (const auto* entry : trainer::model_table()) {
    const auto precision = GENERATE(Precision::fp32, Precision::fp64);
    INFO(entry->name);
    CHECK(contract::is_known("model", entry->name));
    const auto model = make(entry->name, *device, {3, 20, 24}, 7, precision);
    const auto type = precision == Precision::fp64 ? torch::kDouble : torch::kFloat;
    const at::Tensor output = model->forward(torch::randn({5, 3, 20, 24}, type));
    CHECK(output.sizes() == at::IntArrayRef{5, 7});
    CHECK(output.scalar_type() == type);
    trainer::cross_entropy(output, torch::arange(5), 0).backward();
    CHECK(model->parameters().size() == model->parameter_names().size());
    for (const at::Tensor& parameter : model->parameters()) {
      REQUIRE(parameter.grad().defined());
      CHECK(parameter.grad().isfinite().all().item<bool>());
      CHECK(parameter.grad().abs().sum().item<double>() > 0);
    }
  }
}

TEST_CASE("every model's state is all that it computes with, in its own memory") {
  const auto device = cpu();
  for (const auto* entry : trainer::model_table()) {
    INFO(entry->name);
    const auto one = make(entry->name, *device);
    const auto other = base::find(trainer::model_table(), "model", entry->name)
                           .make({{1, 28, 28}, 10, Precision::fp32, *device, 4});
    const auto from = one->state();
    const auto to = other->state();
    REQUIRE(from.size() == to.size());
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < from.size(); ++i) {
      CHECK(from[i].name == to[i].name);
      to[i].tensor.detach().copy_(from[i].tensor);
    }
    const at::Tensor input = torch::randn({3, 1, 28, 28});
    for (auto* model : {one.get(), other.get()}) model->set_training(false);
    CHECK(torch::equal(one->forward(input), other->forward(input)));
  }
}

TEST_CASE("every model starts from its seed") {
  const auto device = cpu();
  for (const auto* entry : trainer::model_table()) {
    INFO(entry->name);
    const auto one = make(entry->name, *device);
    const auto same = make(entry->name, *device);
    const auto other = entry->make({{1, 28, 28}, 10, Precision::fp32, *device, 4});
    CHECK(torch::equal(one->parameters()[0], same->parameters()[0]));
    CHECK(!torch::equal(one->parameters()[0], other->parameters()[0]));
  }
}

TEST_CASE("parameter counts are those of the textbook layers") {
  const auto device = cpu();
  CHECK(trainer::parameter_count(*make("mlp", *device)) == 669706);
  CHECK(trainer::parameter_count(*make("cnn", *device)) == 1199882);
}

TEST_CASE("initial weights fill the range of PyTorch's default") {
  const auto device = cpu();
  const auto model = make("mlp", *device);
  const double bound = 1 / std::sqrt(784.0);  // Kaiming uniform with a = sqrt 5
  const double largest = model->parameters()[0].abs().max().item<double>();
  CHECK(largest <= bound);
  CHECK(largest > 0.99 * bound);
}

TEST_CASE("cnn refuses images that its layers shrink to nothing") {
  const auto device = cpu();
  CHECK_THROWS_WITH(make("cnn", *device, {1, 5, 28}),
                    "model cnn needs images of at least 6x6, these have a side of 5");
}
