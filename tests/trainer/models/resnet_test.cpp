// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/resnet.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/trainer/models/made_model.hpp"

using namespace dlscale;
using trainer::ImageShape;
using trainer::Precision;

namespace {

std::unique_ptr<trainer::Model> make(const std::string& name, ImageShape shape, int classes,
                                     Precision precision = Precision::fp64) {
  return test::make_model(name, test::model_context(shape, classes, precision));
}

at::Tensor parameter(const trainer::Model& model, const std::string& name) {
  const auto& names = model.parameter_names();
  const auto found = std::ranges::find(names, name);
  REQUIRE(found != names.end());
  return model.parameters()[static_cast<std::size_t>(found - names.begin())];
}

}  // namespace

TEST_CASE("residual networks have torchvision's numbers of parameters") {
  const std::pair<const char*, std::int64_t> kCounts[] = {{"resnet18", 11'689'512},
                                                          {"resnet34", 21'797'672},
                                                          {"resnet50", 25'557'032},
                                                          {"resnet101", 44'549'160},
                                                          {"resnet152", 60'192'808}};
  for (const auto& [name, count] : kCounts) {
    INFO(name);
    const auto model = make(name, {3, 224, 224}, 1000, Precision::fp32);
    CHECK(trainer::parameter_count(*model) == count);
  }
}

TEST_CASE("parameters and buffers of a residual network have torchvision's names") {
  const auto model = make("resnet18", {3, 224, 224}, 10);
  const auto& names = model->parameter_names();
  REQUIRE(names.size() == 62);
  const std::vector<std::string> first(names.begin(), names.begin() + 6);
  CHECK(first == std::vector<std::string>{"conv1.weight", "bn1.weight", "bn1.bias",
                                          "layer1.0.conv1.weight", "layer1.0.bn1.weight",
                                          "layer1.0.bn1.bias"});
  CHECK(parameter(*model, "layer2.0.downsample.0.weight").sizes() ==
        at::IntArrayRef{128, 64, 1, 1});
  CHECK(names.back() == "fc.bias");
  const auto state = model->state();
  CHECK(state.size() == 62 + 3 * 20);
  CHECK(state.back().name == "layer4.1.bn2.num_batches_tracked");
  CHECK(state.back().tensor.scalar_type() == at::kLong);
}

TEST_CASE("images of at most 64 pixels a side are not shrunk before the first residual block") {
  CHECK(parameter(*make("resnet18", {3, 64, 64}, 10), "conv1.weight").size(2) == 3);
  CHECK(parameter(*make("resnet18", {3, 64, 65}, 10), "conv1.weight").size(2) == 7);
  const at::NoGradGuard no_gradients;
  const auto output = [](int side) {
    return make("resnet18", {1, side, side}, 2)
        ->forward_block(0, torch::zeros({1, 1, side, side}, torch::kDouble))
        .size(2);
  };
  CHECK(output(64) == 64);
  CHECK(output(96) == 24);
}

TEST_CASE("residual networks begin with torchvision's distributions") {
  const auto model = make("resnet50", {3, 224, 224}, 1000);
  const at::Tensor filters = parameter(*model, "layer3.0.conv2.weight");
  CHECK(filters.std().item<double>() == Approx(std::sqrt(2.0 / (256 * 9))).epsilon(0.02));
  CHECK(parameter(*model, "layer1.0.bn3.weight").eq(1).all().item<bool>());
  CHECK(parameter(*model, "layer1.0.bn3.bias").eq(0).all().item<bool>());
  CHECK(parameter(*model, "fc.weight").abs().max().item<double>() <= 1 / std::sqrt(2048.0));
}

TEST_CASE("a residual network that is cut between any two residual blocks computes the same") {
  const auto whole = make("resnet18", {3, 16, 16}, 5);
  whole->set_training(false);
  const at::NoGradGuard no_gradients;
  const at::Tensor input = torch::randn({2, 3, 16, 16}, torch::kDouble);
  const std::size_t blocks = whole->blocks().size();
  CHECK(blocks == 10);  // stem, 8 residual blocks, head
  for (const std::size_t cut : {std::size_t{1}, std::size_t{4}, blocks - 1}) {
    const auto front = make("resnet18", {3, 16, 16}, 5);
    const auto back = make("resnet18", {3, 16, 16}, 5);
    front->keep_blocks(0, cut);
    back->keep_blocks(cut, blocks);
    CHECK(front->state().size() + back->state().size() == whole->state().size());
    at::Tensor value = input;
    for (std::size_t i = 0; i < blocks; ++i) {
      auto& model = i < cut ? *front : *back;
      model.set_training(false);
      value = model.forward_block(i, value);
    }
    CHECK(torch::equal(value, whole->forward(input)));
  }
}
