// SPDX-License-Identifier: Apache-2.0
// Memory against what PyTorch said when it ran out: DenseNet-121, 128 images of 224 x 224 on one
// GPU of 10.91 GiB. "Tried to allocate 184.00 MiB … Of the allocated memory 10.55 GiB is allocated
// by PyTorch" (Es Saim, Univ. Côte d'Azur, report of 2024/25).
#include <catch2/catch.hpp>

#include "predict/memory.hpp"
#include "tests/predict/shipped_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

constexpr double kBatch = 128;

const contract::ModelCard& densenet() {
  static const contract::ModelCard card = test::shipped_card("densenet121-3x224x224-10");
  return card;
}

/// The first concatenation that wants so much memory in the second dense block.
std::size_t failing_layer() {
  const auto& layers = densenet().layers;
  constexpr double kTried = 183.75 * 1024 * 1024;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i].kind == "cat" && layers[i].saved.at(kBatch) == Approx(kTried)) return i;
  }
  return 0;
}

}  // namespace

/// torchvision's dense block keeps a list of its features while it runs, where ours keeps their
/// concatenation alone: what the block got and what each layer before the last added.
Bytes features_in_list(const std::string& block, int layers) {
  Bytes sum;
  for (const auto& layer : densenet().layers) {
    for (int i = 1; i < layers; ++i) {
      const std::string name = block + ".denselayer" + std::to_string(i) + ".conv2";
      if (layer.name == name && layer.kind == "conv2d") {
        sum += Bytes{layer.forward.written.at(kBatch)};
      }
    }
    if (layer.kind == "avg_pool2d" && layer.name == "features.transition1.conv") {
      sum += Bytes{layer.forward.written.at(kBatch)};
    }
  }
  return sum;
}

TEST_CASE("the concatenation that failed is the one of 183.75 MiB in block 2") {
  const std::size_t layer = failing_layer();
  REQUIRE(layer > 0);
  CHECK(densenet().layers[layer].name.find("denseblock2.denselayer11") != std::string::npos);
}

TEST_CASE("what PyTorch had allocated when it failed is predicted within 1 %") {
  const Bytes ours = allocated_before(densenet(), failing_layer(), kBatch, {.buckets = true});
  const Bytes listed = features_in_list("features.denseblock2", 11);
  CHECK(listed / kGibibyte == Approx(0.1675).epsilon(0.01));
  CHECK((ours + listed) / kGibibyte == Approx(10.55).epsilon(0.01));
  CHECK(ours / kGibibyte == Approx(10.55).epsilon(0.02));
}

TEST_CASE("128 images are refused on that card, 64 fit, and the block that keeps most is named") {
  const Device gtx{.memory = kGibibyte * 10.91, .context = kGibibyte * 0.26};
  CHECK_FALSE(memory_verdict(densenet(), 128, {.buckets = true}, gtx).fits);
  CHECK(memory_verdict(densenet(), 64, {.buckets = true}, gtx).fits);
  const Device t4{.memory = kGibibyte * 14.58, .context = kGibibyte * 0.26};
  CHECK_FALSE(memory_verdict(densenet(), 128, {.buckets = true}, t4).fits);
  CHECK(dominating_layer(densenet(), 128).name == "features.denseblock1");
}

TEST_CASE("activations of the zoo are those that are kept for backward") {
  // MB for a sample of 3 x 224 x 224, fp32, computed layer by layer from torchvision's graphs.
  const std::pair<const char*, double> known[] = {
      {"resnet18", 22.2}, {"resnet50", 85.9}, {"resnet101", 126.8},  {"resnet152", 177.4},
      {"vgg11", 48.7},    {"vgg16", 73.2},    {"densenet121", 130.4}};
  for (const auto& [model, megabytes] : known) {
    INFO(model);
    double saved = 0;
    for (const auto& layer : test::shipped_card(std::string(model) + "-3x224x224-1000").layers) {
      saved += layer.saved.per_sample;
    }
    CHECK(saved / 1e6 == Approx(megabytes).epsilon(0.03));
  }
}
