// SPDX-License-Identifier: Apache-2.0
// Every model of which torchvision's numbers are at hand.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>

#include "tests/trainer/models/torchvision_reference.hpp"

using namespace dlscale;
using test::TorchvisionReference;

TEST_CASE("models compute what torchvision's compute from the same parameters") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (!data) {
    std::cout << "skipped: DLSCALE_TEST_DATA does not name a folder with models/\n";
    return;
  }
  const std::string file = std::string(data) + "/models/torchvision-reference.json";
  if (!std::filesystem::exists(file)) {
    std::cout << "skipped: there is no " << file << '\n';
    return;
  }
  const TorchvisionReference reference(file);
  CHECK(reference.models().size() >= 9);
  for (const std::string& model : reference.models()) reference.check(model);
}

TEST_CASE("resnet34 and VGG networks with batch norms compute what torchvision's compute") {
  const TorchvisionReference reference(DLSCALE_SOURCE_DIR
                                       "/tests/data/models/torchvision-more.json");
  CHECK(reference.models() == std::vector<std::string>{"resnet34", "vgg11_bn", "vgg16_bn"});
  for (const std::string& model : reference.models()) reference.check(model);
}
