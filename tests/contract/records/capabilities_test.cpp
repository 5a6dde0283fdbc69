// SPDX-License-Identifier: Apache-2.0
#include "contract/records/capabilities.hpp"

#include <catch2/catch.hpp>

using namespace dlscale::contract;

TEST_CASE("capabilities survive being written and read") {
  const Capabilities capabilities{
      "1.2.3",
      {{"torch", "2.11.0"}},
      {{"model", {"cnn", "mlp"}}, {"loader", {}}},
      {{"model", {{"cnn", {.samples = "images", .is_one_block = true}}, {"mlp", {}}}}}};
  CHECK(capabilities_from_json(to_json(capabilities), "c.json") == capabilities);
}

TEST_CASE("a build has exactly the names that it lists") {
  const Capabilities capabilities{"1", {}, {{"model", {"cnn"}}}};
  CHECK(capabilities.has("model", "cnn"));
  CHECK_FALSE(capabilities.has("model", "mlp"));
  CHECK_FALSE(capabilities.has("loader", "cnn"));
}

TEST_CASE("a capabilities file with a value of the wrong type is rejected") {
  CHECK_THROWS_WITH(capabilities_from_json(R"({"version":"1","families":{"model":[1]}})", "c.json"),
                    "c.json: families.model[0]: expected a string, found number");
}

TEST_CASE("a build has no traits for a name that it does not know") {
  const Capabilities old = capabilities_from_json(R"({"version":"1","families":{}})", "c.json");
  CHECK(old.traits_of("model", "cnn") == nullptr);
  const Capabilities capabilities{"1", {}, {}, {{"model", {{"cnn", {.samples = "images"}}}}}};
  REQUIRE(capabilities.traits_of("model", "cnn") != nullptr);
  CHECK(capabilities.traits_of("model", "cnn")->samples == "images");
  CHECK(capabilities.traits_of("model", "mlp") == nullptr);
}
