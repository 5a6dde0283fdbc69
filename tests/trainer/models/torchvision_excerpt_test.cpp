// SPDX-License-Identifier: Apache-2.0
// Fast comparisons with torchvision's numbers that run everywhere. torchvision_test contains the
// other comparisons.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/trainer/models/torchvision_reference.hpp"

using namespace dlscale;
using test::TorchvisionReference;

namespace {

constexpr const char* kFolder = DLSCALE_SOURCE_DIR "/tests/data/models/";

}  // namespace

TEST_CASE("squeezenet1_0 and resnet18 compute the same values as torchvision") {
  const TorchvisionReference reference(std::string(kFolder) + "torchvision-excerpt.json");
  CHECK(reference.models() == std::vector<std::string>{"resnet18", "squeezenet1_0"});
  for (const std::string& model : reference.models()) reference.check(model);
}

TEST_CASE("VGG networks with batch norms have torchvision's parameters and buffers") {
  const TorchvisionReference reference(std::string(kFolder) + "torchvision-more.json");
  for (const char* model : {"vgg11_bn", "vgg16_bn"}) reference.check_small_vgg(model);
}
