// SPDX-License-Identifier: Apache-2.0
#include "contract/json/diff.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using dlscale::contract::differing_keys;
using Keys = std::vector<std::string>;

TEST_CASE("differing keys are listed with their full path") {
  const char* before = R"({"a": 1, "b": {"c": 1, "d": [1, 2], "e": {"f": "x"}}, "gone": 1})";
  CHECK(differing_keys(before, before, "x").empty());
  CHECK(differing_keys(before, R"({"a":1,"b":{"c":2,"d":[1],"e":{"f":"x"}},"new":{"x":1}})", "x") ==
        Keys{"b.c", "b.d", "gone", "new"});
  CHECK(differing_keys(before, R"({"a":1.0,"b":{"c":1,"d":[1,2],"e":3},"gone":1})", "x") ==
        Keys{"b.e"});
}

TEST_CASE("the layout and the order of keys are ignored") {
  CHECK(differing_keys("{\n  \"a\": 1,\n  \"b\": 0.1\n}\n", R"({"b":0.1,"a":1})", "x").empty());
}

TEST_CASE("a text that is not a JSON object is rejected with the file name") {
  CHECK_THROWS_WITH(differing_keys("{\"a\": ", "{}", "run.json"),
                    "run.json:1:7: not valid JSON: the text ends too early");
  CHECK_THROWS_WITH(differing_keys("[]", "{}", "run.json"), "run.json: expected a JSON object");
}
