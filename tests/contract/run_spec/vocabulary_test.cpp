// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/vocabulary.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "base/error.hpp"

using namespace dlscale;
using namespace dlscale::contract;

TEST_CASE("no family lists a name twice") {
  for (const std::string& family : families()) {
    const auto& names = vocabulary(family);
    CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
    CHECK_FALSE(names.empty());
  }
}

TEST_CASE("a listed name is known in its own family only") {
  CHECK(is_known("framework", "ddp"));
  CHECK_FALSE(is_known("model", "ddp"));
}

TEST_CASE("an unknown family is reported with the nearest known family") {
  CHECK_THROWS_WITH(vocabulary("modle"), Catch::Matchers::StartsWith(
                                             "unknown family \"modle\"; did you mean \"model\"?"));
}
