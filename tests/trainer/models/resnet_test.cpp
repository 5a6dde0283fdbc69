// SPDX-License-Identifier: Apache-2.0
// Tests that compare the structure of residual networks with torchvision. Other tests compare
// computed values.
#include <cmath>

#include "tests/trainer/models/made_model.hpp"

using namespace dlscale;
using test::make_model;
using test::model_context;
using test::weight;
using trainer::Precision;

namespace {

std::unique_ptr<trainer::Model> make_resnet(const std::string& name,
                                            const trainer::ImageShape& shape, int classes,
                                            Precision precision = Precision::fp64) {
  return make_model(name, model_context(shape, classes, precision));
}

}  // namespace

TEST_CASE("residual networks have torchvision's parameter counts") {
  const std::pair<const char*, std::int64_t> kCounts[] = {{"resnet18", 11'689'512},
                                                          {"resnet34", 21'797'672},
                                                          {"resnet50", 25'557'032},
                                                          {"resnet101", 44'549'160},
                                                          {"resnet152", 60'192'808}};
  for (const auto& [name, count] : kCounts) {
    INFO(name);
    const auto model = make_resnet(name, {3, 224, 224}, 1000, Precision::fp32);
    CHECK(trainer::parameter_count(*model) == count);
  }
}

TEST_CASE("parameters and buffers of a residual network have torchvision's names") {
  const auto model = make_resnet("resnet18", {3, 224, 224}, 10);
  const auto& names = model->parameter_names();
  REQUIRE(names.size() == 62);
  CHECK(model->blocks().size() == 10);  // stem, 8 residual blocks, head
  const std::vector<std::string> first(names.begin(), names.begin() + 6);
  CHECK(first == std::vector<std::string>{"conv1.weight", "bn1.weight", "bn1.bias",
                                          "layer1.0.conv1.weight", "layer1.0.bn1.weight",
                                          "layer1.0.bn1.bias"});
  CHECK(weight(*model, "layer2.0.downsample.0.weight").sizes() == at::IntArrayRef{128, 64, 1, 1});
  CHECK(names.back() == "fc.bias");
  const auto state = model->state();
  CHECK(state.size() == 62 + 3 * 20);
  CHECK(state.back().name == "layer4.1.bn2.num_batches_tracked");
  CHECK(state.back().tensor.scalar_type() == at::kLong);
}

TEST_CASE("images of at most 64 pixels per side are not shrunk before the first residual block") {
  CHECK(weight(*make_resnet("resnet18", {3, 64, 64}, 10), "conv1.weight").size(2) == 3);
  CHECK(weight(*make_resnet("resnet18", {3, 64, 65}, 10), "conv1.weight").size(2) == 7);
  const at::NoGradGuard no_gradients;
  const auto output = [](int side) {
    return make_resnet("resnet18", {1, side, side}, 2)
        ->forward_block(0, torch::zeros({1, 1, side, side}, torch::kDouble))
        .size(2);
  };
  CHECK(output(64) == 64);
  CHECK(output(96) == 24);
}

TEST_CASE("residual networks are initialised with torchvision's distributions") {
  const auto model = make_resnet("resnet50", {3, 224, 224}, 1000);
  const at::Tensor filters = weight(*model, "layer3.0.conv2.weight");
  CHECK(filters.std().item<double>() == Approx(std::sqrt(2.0 / (256 * 9))).epsilon(0.02));
  CHECK(weight(*model, "layer1.0.bn3.weight").eq(1).all().item<bool>());
  CHECK(weight(*model, "layer1.0.bn3.bias").eq(0).all().item<bool>());
  CHECK(weight(*model, "fc.weight").abs().max().item<double>() <= 1 / std::sqrt(2048.0));
}
