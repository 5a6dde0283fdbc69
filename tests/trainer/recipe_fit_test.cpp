// SPDX-License-Identifier: Apache-2.0
#include "trainer/recipe_fit.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;

namespace {

/// What is said of a description; empty where it fits.
std::string said_of_recipe_fit(const contract::RunSpec& spec) {
  try {
    trainer::require_recipe_fit(spec, "run.json");
    return "";
  } catch (const base::SpecError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("settings that an optimizer does not have are refused with its own") {
  contract::RunSpec spec;
  for (const char* kind : {"sgd", "lars"}) {
    spec.optimizer = {.kind = kind, .momentum = 0.9};
    CHECK(said_of_recipe_fit(spec).empty());
  }
  spec.optimizer = {.kind = "adamw", .momentum = 0.9};
  CHECK(said_of_recipe_fit(spec) ==
        "run.json: optimizer.momentum: is for sgd and lars; adamw has optimizer.adam.beta1");
  spec.optimizer = {.kind = "lars", .momentum = 0.9, .nesterov = true};
  CHECK(said_of_recipe_fit(spec) == "run.json: optimizer.nesterov: is sgd's; lars has none");
  spec.optimizer = {.kind = "adam", .dampening = 0.1};
  CHECK(said_of_recipe_fit(spec) == "run.json: optimizer.dampening: is sgd's; adam has none");
}
