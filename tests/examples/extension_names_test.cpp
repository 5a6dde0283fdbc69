// SPDX-License-Identifier: Apache-2.0
// What the extension's folder adds is known wherever names are.
#include <catch2/catch.hpp>

#include "contract/run_spec/learning_rate.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "trainer/about/capabilities.hpp"

using namespace dlscale;

TEST_CASE("an extension's names are in the vocabulary and in what the trainer can do") {
  const auto available = trainer::capabilities();
  for (const auto& [family, name] : {std::pair{"model", "conv_mixer"},
                                     {"dataset", "numpy_images"},
                                     {"lr_schedule", "cooldown"}}) {
    INFO(name);
    CHECK(contract::is_known(family, name));
    CHECK(contract::is_from_extension(family, name));
    CHECK(available.has(family, name));
  }
  CHECK(contract::extension_names().size() == 3);
}

TEST_CASE("what there is without an extension stays, and is of none") {
  const auto available = trainer::capabilities();
  for (const auto& [family, name] :
       {std::pair{"model", "mlp"}, {"dataset", "mnist"}, {"lr_schedule", "cosine"}}) {
    INFO(name);
    CHECK(available.has(family, name));
    CHECK_FALSE(contract::is_from_extension(family, name));
  }
  CHECK_FALSE(contract::is_from_extension("dataset", "conv_mixer"));
}

TEST_CASE("a run of what an extension brings is one that this build can do") {
  contract::RunSpec spec;
  spec.model = "conv_mixer";
  spec.dataset = {"numpy_images", "/data"};
  spec.lr_schedule.kind = "cooldown";
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  CHECK(contract::run_spec_from_json(contract::to_json(spec), "run.json") == spec);
}
