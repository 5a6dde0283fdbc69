// SPDX-License-Identifier: Apache-2.0
#include "base/registry.hpp"

#include <array>
#include <catch2/catch.hpp>

using namespace dlscale::base;

namespace {

struct Entry {
  const char* name;
  int value;
};
const Entry kOne{"one", 1};
const Entry kTwo{"two", 2};
const std::array<const Entry*, 2> kRows{&kOne, &kTwo};
const Table<Entry> kTable{kRows};

const std::vector<std::string> kModels{"resnet50", "vgg16", "cnn"};

}  // namespace

TEST_CASE("the nearest name is the one that was meant") {
  CHECK(nearest("vgg61", kModels) == "vgg16");
  CHECK(nearest("resnt50", kModels) == "resnet50");
  CHECK(nearest("cn", kModels) == "cnn");
}

TEST_CASE("a name far from all has no nearest") {
  CHECK(nearest("transformer", kModels).empty());
  CHECK(nearest("", {}).empty());
}

TEST_CASE("a name is found in its table") {
  CHECK(find(kTable, "number", "two").value == 2);
}

TEST_CASE("an unknown name is answered with the nearest and the list") {
  CHECK_THROWS_WITH(find(kTable, "number", "tow"),
                    "unknown number \"tow\"; did you mean \"two\"? (known: one, two)");
  CHECK_THROWS_WITH(find(kTable, "number", "seventeen"),
                    "unknown number \"seventeen\" (known: one, two)");
}
