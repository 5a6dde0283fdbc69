// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/model_tracer.hpp"

#include <torch/types.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>

#include "tests/trainer/models/made_model.hpp"
#include "trainer/models/block_cost.hpp"

using namespace dlscale;
using contract::BatchCost;
using contract::LayerCard;

namespace {

std::vector<LayerCard> walk(trainer::Model& model, const trainer::ImageShape& shape) {
  return trainer::walk_model(
      model,
      [&](std::int64_t samples) {
        return at::zeros({samples, shape.channels, shape.height, shape.width});
      },
      [&](const at::Tensor& batch) { return model.forward(batch); });
}

std::vector<LayerCard> walk(const char* name, const trainer::ImageShape& shape) {
  return walk(*test::make_model(name, test::model_context(shape, 10)), shape);
}

const LayerCard& layer(const std::vector<LayerCard>& layers, std::string_view name,
                       std::string_view kind) {
  const auto found = std::ranges::find_if(
      layers, [&](const LayerCard& each) { return each.name == name && each.kind == kind; });
  INFO(name << " " << kind);
  REQUIRE(found != layers.end());
  return *found;
}

double sum(const std::vector<LayerCard>& layers, BatchCost LayerCard::*cost) {
  double all = 0;
  for (const LayerCard& each : layers) all += (each.*cost).per_sample;
  return all;
}

}  // namespace

TEST_CASE("a linear layer has the FLOPs of its product forward and twice as many backward") {
  const auto layers = walk("mlp", {1, 28, 28});
  const LayerCard& hidden = layer(layers, "hidden2", "addmm");
  CHECK(hidden.forward.flops == BatchCost{0, 2.0 * 512 * 512});
  CHECK(hidden.backward.flops == BatchCost{0, 4.0 * 512 * 512});
  CHECK(hidden.parameters == 512 * 512 + 512);
  CHECK(hidden.parameter_tensors == 2);
  CHECK(hidden.forward.read == BatchCost{4.0 * (512 * 512 + 512), 4.0 * 512});
  CHECK(hidden.forward.written == BatchCost{0, 4.0 * 512});
  CHECK(hidden.saved == BatchCost{0, 4.0 * 512});
  // The gradient of the images is not needed.
  CHECK(layer(layers, "hidden1", "addmm").backward.flops == BatchCost{0, 2.0 * 784 * 512});
}

TEST_CASE("an operator that works in place saves no additional memory") {
  const auto layers = walk("mlp", {1, 28, 28});
  const LayerCard& relu = layer(layers, "hidden1", "relu_");
  CHECK(relu.in_place);
  CHECK(relu.saved == BatchCost{});
  CHECK(relu.forward.read == BatchCost{0, 4.0 * 512});
  CHECK(relu.parameters == 0);
  CHECK(relu.block == "hidden1");
}

TEST_CASE("the first layer also saves the images, and the live memory sums all saved bytes") {
  const auto layers = walk("mlp", {1, 28, 28});
  CHECK(layers.front().saved == BatchCost{0, 4.0 * (784 + 512)});
  CHECK(layers.back().forward.live.per_sample == sum(layers, &LayerCard::saved));
  CHECK(sum(layers, &LayerCard::saved) == 4.0 * (784 + 512 + 512 + 10));
}

TEST_CASE("a convolution has the FLOPs of its filters at each output position") {
  const auto layers = walk("cnn", {1, 28, 28});
  const auto convolution = std::ranges::find_if(layers, [](const LayerCard& each) {
    return each.backward.flops.per_sample == 2 * each.forward.flops.per_sample &&
           each.forward.flops.per_sample > 0;
  });
  REQUIRE(convolution != layers.end());
  CHECK(convolution->forward.flops == BatchCost{0, 2.0 * 64 * 24 * 24 * 32 * 9});
}

TEST_CASE("every image model can be traced, with all parameters and the FLOPs of its blocks") {
  for (const auto* entry : trainer::model_table()) {
    const std::string_view name = entry->name;
    const bool takes_seconds = name == "resnet101" || name == "resnet152" ||
                               name.starts_with("vgg1") || name == "frozen_backbone";
    if (entry->input != std::string_view("images") || takes_seconds) continue;
    INFO(name);
    const trainer::ImageShape shape{3, 32, 32};
    const auto model = entry->make(test::model_context(shape, 7));
    const auto layers = walk(*model, shape);
    double multiply_adds = 0, flops = 0, parameters = 0;
    for (const auto& cost : trainer::measure_blocks(*model, {3, 32, 32})) {
      multiply_adds += cost.multiply_adds;
    }
    for (const LayerCard& each : layers) {
      flops += each.forward.flops.per_sample;
      parameters += static_cast<double>(each.parameters);
      CHECK(each.forward.live.per_sample >= 0);
      CHECK(each.saved.per_sample >= 0);
    }
    if (name != "conv_autoencoder") CHECK(flops == 2 * multiply_adds);
    CHECK(parameters == static_cast<double>(trainer::parameter_count(*model)));
    CHECK(layers.back().forward.live.per_sample ==
          Approx(sum(layers, &LayerCard::saved)).epsilon(0.05));
  }
}

TEST_CASE("layers with square images record the sizes of their calls") {
  using Size = std::map<std::string, double>;
  const auto layers = walk("resnet18", {3, 32, 32});
  const auto size_is = [&](const char* name, const char* kind, const Size& size) {
    return layer(layers, name, kind).size == size;
  };
  CHECK(size_is(
      "conv1", "conv2d",
      {{"c_in", 3}, {"c_out", 64}, {"h_in", 32}, {"h_out", 32}, {"kernel", 3}, {"stride", 1}}));
  const Size shrinking = layer(layers, "layer2.0.conv1", "conv2d").size;
  CHECK(shrinking.at("h_in") == 32);
  CHECK(shrinking.at("h_out") == 16);
  CHECK(shrinking.at("stride") == 2);
  CHECK(size_is("bn1", "batch_norm", {{"c", 64}, {"h_in", 32}}));
  CHECK(size_is("fc", "addmm", {{"inputs", 512}, {"outputs", 10}}));
}

TEST_CASE("only linear layers record their sizes if the images are not square") {
  for (const LayerCard& each : walk("resnet18", {3, 32, 48})) {
    INFO(each.name << " " << each.kind);
    CHECK(each.size.empty() == (each.kind != "addmm"));
  }
}
