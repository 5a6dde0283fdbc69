// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string_view>

#include "contract/run_spec/vocabulary.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "trainer/optim/loss.hpp"

using namespace dlscale;
using trainer::Precision;

namespace {

/// Returns the models that classify images, with two exceptions. Large variants of models are left
/// out because they take seconds to create, and frozen backbones because they need large images.
std::vector<const trainer::ModelEntry*> models() {
  static const std::set<std::string> kLeftOut{"resnet34", "resnet101", "resnet152",      "vgg11",
                                              "vgg16",    "vgg16_bn",  "frozen_backbone"};
  std::vector<const trainer::ModelEntry*> chosen;
  for (const auto* entry : trainer::model_table()) {
    const bool classifies = entry->input == std::string_view("images") &&
                            entry->task == std::string_view("classification");
    if (classifies && !kLeftOut.contains(entry->name)) chosen.push_back(entry);
  }
  return chosen;
}

/// Returns models() without models that have linear layers of width 4096.
std::vector<const trainer::ModelEntry*> small_models() {
  auto chosen = models();
  std::erase_if(chosen, [](const trainer::ModelEntry* entry) {
    const std::string_view name = entry->name;
    return name == "alexnet" || name == "vgg11_bn";
  });
  return chosen;
}

std::unique_ptr<trainer::Model> new_model(const std::string& name,
                                          trainer::ImageShape shape = {1, 28, 28}, int classes = 10,
                                          Precision precision = Precision::fp32) {
  return test::make_model(name, test::model_context(shape, classes, precision));
}

/// Returns a model for images of 1x8x8 whose seed differs from the seed in new_model().
std::unique_ptr<trainer::Model> make_other(const std::string& name) {
  auto context = test::model_context({1, 8, 8}, 10);
  context.seed = 4;
  return test::make_model(name, context);
}

}  // namespace

TEST_CASE("every model runs forward and backward with finite results in both precisions") {
  for (const auto* entry : models()) {
    const auto precision = GENERATE(Precision::fp32, Precision::fp64);
    INFO(entry->name);
    CHECK(contract::is_known("model", entry->name));
    const auto model = new_model(entry->name, {3, 8, 9}, 7, precision);
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

TEST_CASE("a model with the copied state of another model computes the same scores") {
  for (const auto* entry : small_models()) {
    INFO(entry->name);
    const auto one = new_model(entry->name, {1, 8, 8});
    const auto other = make_other(entry->name);
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

TEST_CASE("every model has a known number of blocks, unless it depends on the settings") {
  for (const auto* entry : trainer::model_table()) {
    INFO(entry->name);
    const std::string_view name = entry->name;
    // These two models cannot be cut into blocks.
    const bool is_known = name != "frozen_backbone" && name != "seq2seq";
    CHECK((entry->blocks > 0) == is_known);
  }
}

TEST_CASE("every model declares whether its passes draw random numbers") {
  for (const auto* entry : models()) {
    INFO(entry->name);
    const auto model = new_model(entry->name, {3, 8, 9});
    const at::Tensor input = torch::randn({3, 3, 8, 9});
    CHECK(torch::equal(model->forward(input), model->forward(input)) != entry->has_dropout);
  }
}

TEST_CASE("the seed determines a model's initial parameters") {
  for (const auto* entry : small_models()) {
    INFO(entry->name);
    const auto one = new_model(entry->name, {1, 8, 8});
    const auto same = new_model(entry->name, {1, 8, 8});
    const auto other = make_other(entry->name);
    CHECK(torch::equal(one->parameters()[0], same->parameters()[0]));
    CHECK(!torch::equal(one->parameters()[0], other->parameters()[0]));
  }
}

TEST_CASE("the memory format channels last changes neither scores, gradients nor shapes") {
  for (const char* name : {"cnn", "resnet18", "squeezenet1_0"}) {
    INFO(name);
    const auto plain = new_model(name, {3, 16, 16}, 5, Precision::fp64);
    auto context = test::model_context({3, 16, 16}, 5, Precision::fp64);
    context.channels_last = true;
    const auto last = test::make_model(name, context);
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

TEST_CASE("frozen parameters stay in the state but not in the list, and need no backward pass") {
  const auto model = new_model("resnet18", {3, 16, 16});
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

TEST_CASE("an unknown prefix and the freezing of all parameters are errors that name the key") {
  const auto model = new_model("mlp");
  CHECK_THROWS_WITH(
      trainer::freeze_beginnings(*model, "hidden1,layer1"),
      "frozen: no parameter name begins with \"layer1\"; the model's names range from "
      "hidden1.weight to output.bias");
  CHECK_THROWS_WITH(trainer::freeze_beginnings(*model, "hidden1,,output"),
                    Catch::Contains("begins with \"\""));
  CHECK_THROWS_WITH(trainer::freeze_beginnings(*model, "hidden, output"),
                    "frozen: \"hidden, output\" leaves no parameter to train");
}

TEST_CASE("parameter counts equal those of the textbook layers") {
  CHECK(trainer::parameter_count(*new_model("mlp")) == 669706);
  CHECK(trainer::parameter_count(*new_model("cnn")) == 1199882);
}

TEST_CASE("initial weights fill the range of PyTorch's default") {
  const auto model = new_model("mlp");
  const double bound = 1 / std::sqrt(784.0);  // Kaiming uniform with a = sqrt 5
  const double largest = model->parameters()[0].abs().max().item<double>();
  CHECK(largest <= bound);
  CHECK(largest > 0.99 * bound);
}

TEST_CASE("cnn rejects images that are too small for its layers") {
  CHECK_THROWS_WITH(new_model("cnn", {1, 5, 28}),
                    "model cnn needs images of at least 6x6 pixels, but these have a side of 5");
}
