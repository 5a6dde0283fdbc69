// SPDX-License-Identifier: Apache-2.0
// Tests of every model for which reference numbers of torchvision exist.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "tests/support/skip.hpp"
#include "tests/trainer/models/torchvision_reference.hpp"

using namespace dlscale;
using test::TorchvisionReference;

TEST_CASE("models compute the same values as torchvision from the same parameters") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (!data) {
    test::skip("DLSCALE_TEST_DATA does not name a folder with models/");
    return;
  }
  const std::string file = std::string(data) + "/models/torchvision-reference.json";
  if (!std::filesystem::exists(file)) {
    test::skip("there is no " + file);
    return;
  }
  const TorchvisionReference reference(file);
  CHECK(reference.models().size() >= 9);
  for (const std::string& model : reference.models()) reference.check(model);
}

TEST_CASE("resnet34 and VGG networks with batch norms compute the same values as torchvision") {
  const TorchvisionReference reference(DLSCALE_SOURCE_DIR
                                       "/tests/data/models/torchvision-more.json");
  CHECK(reference.models() == std::vector<std::string>{"resnet34", "vgg11_bn", "vgg16_bn"});
  for (const std::string& model : reference.models()) reference.check(model);
}
