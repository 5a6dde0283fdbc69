// SPDX-License-Identifier: Apache-2.0
// Every model of which torchvision's numbers are at hand.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "tests/trainer/models/torchvision_reference.hpp"

using namespace dlscale;

TEST_CASE("models compute what torchvision's compute from the same parameters") {
  const char* data = std::getenv("DLSCALE_TEST_DATA");
  if (!data) {
    std::cout << "skipped: DLSCALE_TEST_DATA does not name a folder with models/\n";
    return;
  }
  const test::TorchvisionReference reference(std::string(data) +
                                             "/models/torchvision-reference.json");
  CHECK(reference.models().size() >= 9);
  for (const std::string& model : reference.models()) reference.check(model);
}
