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

TEST_CASE("the nearest name corrects a typing error") {
  CHECK(nearest("vgg61", kModels) == "vgg16");
  CHECK(nearest("resnt50", kModels) == "resnet50");
  CHECK(nearest("cn", kModels) == "cnn");
}

TEST_CASE("a name unlike all known names has no nearest name") {
  CHECK(nearest("transformer", kModels).empty());
  CHECK(nearest("", {}).empty());
}

TEST_CASE(
    "a name without a nearest name suggests the first choice that shares the most first words") {
  const std::vector<std::string> keys{"gpus", "batch_per_gpu", "batch_norm", "lr_peak"};
  CHECK(suggestion("batch_size", keys) == "batch_per_gpu");
  CHECK(suggestion("batchsize", keys) == "batch_per_gpu");
  CHECK(suggestion("batch_nrom", keys) == "batch_norm");
  CHECK(suggestion("batch_norm_momentum", keys) == "batch_norm");
  CHECK(suggestion("batch_per_accelerator", {"batch_norm", "batch_per_gpu"}) == "batch_per_gpu");
  CHECK(suggestion("lr_start", keys).empty());
  CHECK(suggestion("size", keys).empty());
  CHECK(suggestion("", {"", "_"}).empty());
  CHECK_THAT(
      unknown_name("name", "batchsize", keys),
      Catch::StartsWith("unknown name \"batchsize\"; did you mean \"batch_per_gpu\"? (known:"));
}

TEST_CASE("an unknown name that begins up to three known names suggests these names") {
  CHECK_THAT(unknown_name("name", "lr", {"lr_base", "lr_peak", "gpus"}),
             Catch::StartsWith("unknown name \"lr\"; did you mean \"lr_base\" or \"lr_peak\"? ("));
  CHECK_THAT(unknown_name("name", "lr", {"lr_a", "lr_b", "lr_c", "lr_d"}),
             Catch::StartsWith("unknown name \"lr\" (known:"));
  CHECK_THAT(unknown_name("name", "lr", {"lrs", "lr_base"}), Catch::Contains("mean \"lrs\"?"));
}

TEST_CASE("a name is found in its table") {
  CHECK(find(kTable, "number", "two").value == 2);
}

TEST_CASE("an unknown name is reported with the nearest name and the list of names") {
  CHECK_THROWS_WITH(find(kTable, "number", "tow"),
                    "unknown number \"tow\"; did you mean \"two\"? (known: one, two)");
  CHECK_THROWS_WITH(find(kTable, "number", "seventeen"),
                    "unknown number \"seventeen\" (known: one, two)");
}
