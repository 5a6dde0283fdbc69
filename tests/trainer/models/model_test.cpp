// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.hpp"

#include <torch/torch.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "contract/vocabulary.hpp"
#include "trainer/checkpoint/named_tensor.hpp"
#include "trainer/optim/loss.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

std::unique_ptr<trainer::Device> cpu() {
  return base::find(trainer::device_table(), "device", "cpu").make({});
}

/// All but those that are others with more of the same blocks and take seconds to make.
std::vector<const trainer::ModelEntry*> models() {
  std::vector<const trainer::ModelEntry*> chosen;
  for (const auto* entry : trainer::model_table()) {
    const std::string name = entry->name;
    if (name == "resnet34" || name == "resnet101" || name == "resnet152") continue;
    chosen.push_back(entry);
  }
  return chosen;
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
  for (const auto* entry : models()) {
    const auto precision = GENERATE(Precision::fp32, Precision::fp64);
    INFO(entry->name);
    CHECK(contract::is_known("model", entry->name));
    const auto model = make(entry->name, *device, {3, 8, 9}, 7, precision);
    const auto type = precision == Precision::fp64 ? torch::kDouble : torch::kFloat;
    const at::Tensor output = model->forward(torch::randn({5, 3, 8, 9}, type));
    CHECK(output.sizes() == at::IntArrayRef{5, 7});
    CHECK(output.scalar_type() == type);
    trainer::cross_entropy(output, torch::arange(5), 0).backward();
    CHECK(model->parameters().size() == model->parameter_names().size());
    for (const at::Tensor& parameter : model->parameters()) {
      REQUIRE(parameter.grad().defined());
      const double size = parameter.grad().abs().sum().item<double>();
      CHECK(std::isfinite(size));
      CHECK(size > 0);
    }
  }
}

TEST_CASE("every model's state is all that it computes with, in its own memory") {
  const auto device = cpu();
  for (const auto* entry : models()) {
    INFO(entry->name);
    const auto one = make(entry->name, *device, {1, 8, 8});
    const auto other = entry->make({{1, 8, 8}, 10, Precision::fp32, *device, 4});
    const auto from = one->state();
    const auto to = other->state();
    REQUIRE(from.size() == to.size());
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < from.size(); ++i) {
      CHECK(from[i].name == to[i].name);
      to[i].tensor.detach().copy_(from[i].tensor);
    }
    const at::Tensor input = torch::randn({3, 1, 8, 8});
    for (auto* model : {one.get(), other.get()}) model->set_training(false);
    CHECK(torch::equal(one->forward(input), other->forward(input)));
  }
}

TEST_CASE("every model starts from its seed") {
  const auto device = cpu();
  for (const auto* entry : models()) {
    INFO(entry->name);
    const auto one = make(entry->name, *device, {1, 8, 8});
    const auto same = make(entry->name, *device, {1, 8, 8});
    const auto other = entry->make({{1, 8, 8}, 10, Precision::fp32, *device, 4});
    CHECK(torch::equal(one->parameters()[0], same->parameters()[0]));
    CHECK(!torch::equal(one->parameters()[0], other->parameters()[0]));
  }
}

TEST_CASE("channels last in memory change neither scores nor gradients, nor any shape") {
  const auto device = cpu();
  for (const char* name : {"cnn", "resnet18"}) {
    INFO(name);
    const auto plain = make(name, *device, {3, 16, 16}, 5, Precision::fp64);
    const auto last = base::find(trainer::model_table(), "model", name)
                          .make({.input = {3, 16, 16},
                                 .classes = 5,
                                 .precision = Precision::fp64,
                                 .device = *device,
                                 .seed = 3,
                                 .channels_last = true});
    const at::Tensor input = torch::randn({4, 3, 16, 16}, torch::kDouble);
    for (auto* model : {plain.get(), last.get()}) model->forward(input).square().sum().backward();
    for (std::size_t i = 0; i < plain->parameters().size(); ++i) {
      const at::Tensor expected = plain->parameters()[i];
      const at::Tensor found = last->parameters()[i];
      INFO(plain->parameter_names()[i]);
      CHECK(torch::equal(found, expected));
      CHECK(torch::allclose(found.grad(), expected.grad(), 1e-9, 1e-9));
      if (found.dim() != 4) continue;
      CHECK(found.suggest_memory_format() == at::MemoryFormat::ChannelsLast);
      CHECK(found.grad().strides() == found.strides());
    }
  }
}

TEST_CASE("frozen parameters leave the list and stay in the state, and need no backward pass") {
  const auto device = cpu();
  const auto model = make("resnet18", *device, {3, 16, 16});
  const std::size_t all = model->parameters().size();
  const std::size_t state = model->state().size();
  trainer::freeze_beginnings(*model, "conv1, bn1,layer1.");
  CHECK(model->parameters().size() == all - 3 - 12);
  CHECK(model->parameter_names()[0] == "layer2.0.conv1.weight");
  CHECK(model->state().size() == state);
  CHECK(model->blocks()[2].parameters.empty());
  at::Tensor value = torch::randn({2, 3, 16, 16});
  for (std::size_t i = 0; i < 3; ++i) value = model->forward_block(i, value);
  CHECK(!value.requires_grad());
  CHECK(model->forward_block(3, value).requires_grad());
  model->keep_blocks(2, 5);
  CHECK(model->parameter_names()[0] == "layer2.0.conv1.weight");
}

TEST_CASE("a beginning that no parameter has, and freezing all, are errors that name the key") {
  const auto device = cpu();
  const auto model = make("mlp", *device);
  CHECK_THROWS_WITH(trainer::freeze_beginnings(*model, "hidden1,layer1"),
                    "frozen: no parameter's name begins with \"layer1\"; the model's go from "
                    "hidden1.weight to output.bias");
  CHECK_THROWS_WITH(trainer::freeze_beginnings(*model, "hidden1,,output"),
                    Catch::Contains("begins with \"\""));
  CHECK_THROWS_WITH(trainer::freeze_beginnings(*model, "hidden, output"),
                    "frozen: \"hidden, output\" leaves no parameter to be trained");
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
