// SPDX-License-Identifier: Apache-2.0
// Two models against torchvision's numbers, wherever the tests run; torchvision_test has the
// others.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/trainer/models/torchvision_reference.hpp"

using namespace dlscale;

TEST_CASE("squeezenet1_0 and resnet18 compute what torchvision's compute") {
  const test::TorchvisionReference reference(DLSCALE_SOURCE_DIR
                                             "/tests/data/models/torchvision-excerpt.json");
  CHECK(reference.models() == std::vector<std::string>{"resnet18", "squeezenet1_0"});
  for (const std::string& model : reference.models()) reference.check(model);
}
