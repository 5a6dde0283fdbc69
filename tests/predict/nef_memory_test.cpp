// SPDX-License-Identifier: Apache-2.0
// Compares the predicted memory with the message that PyTorch printed when it ran out of memory.
#include <catch2/catch.hpp>

#include "tests/predict/nef_case.hpp"

using namespace dlscale;
using namespace dlscale::predict;
using test::nef_card;

TEST_CASE("the failed concatenation has 183.75 MiB and is in block 2") {
  const std::size_t layer = test::nef_failing_layer();
  REQUIRE(layer > 0);
  CHECK(nef_card().layers[layer].name.find("denseblock2.denselayer11") != std::string::npos);
}

TEST_CASE("the memory that PyTorch had allocated at the failure is predicted within 1 %") {
  CHECK(test::nef_features_in_list() / kGibibyte == Approx(0.1675).epsilon(0.01));
  CHECK(test::nef_allocated() / kGibibyte == Approx(test::kNefAllocatedGib).epsilon(0.01));
  const Bytes ours = test::nef_allocated() - test::nef_features_in_list();
  CHECK(ours / kGibibyte == Approx(test::kNefAllocatedGib).epsilon(0.02));
}

TEST_CASE("128 images do not fit the GPU, 64 images fit, and the largest block is named") {
  const Device gtx{.memory = kGibibyte * 10.91, .context = kGibibyte * 0.26};
  CHECK_FALSE(memory_verdict(nef_card(), 128, {.buckets = true}, gtx).fits);
  CHECK(memory_verdict(nef_card(), 64, {.buckets = true}, gtx).fits);
  const Device t4{.memory = kGibibyte * 14.58, .context = kGibibyte * 0.26};
  CHECK_FALSE(memory_verdict(nef_card(), 128, {.buckets = true}, t4).fits);
  CHECK(dominating_layer(nef_card(), 128).name == "features.denseblock1");
}

TEST_CASE("the activations of models are those kept for the backward pass") {
  // The values are MB per sample of 3 x 224 x 224, fp32, computed layer by layer from torchvision's
  // graphs.
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
