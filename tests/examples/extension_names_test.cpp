// SPDX-License-Identifier: Apache-2.0
// The vocabulary and the trainer know the names that the extension folder adds.
#include <catch2/catch.hpp>

#include "contract/run_spec/learning_rate.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "trainer/about/capabilities.hpp"

using namespace dlscale;

TEST_CASE("the vocabulary and the trainer's capabilities have the names of an extension") {
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

TEST_CASE("bundled names stay available and are not marked as names of an extension") {
  const auto available = trainer::capabilities();
  for (const auto& [family, name] :
       {std::pair{"model", "mlp"}, {"dataset", "mnist"}, {"lr_schedule", "cosine"}}) {
    INFO(name);
    CHECK(available.has(family, name));
    CHECK_FALSE(contract::is_from_extension(family, name));
  }
  CHECK_FALSE(contract::is_from_extension("dataset", "conv_mixer"));
}

TEST_CASE("the build accepts a run that uses an extension") {
  contract::RunSpec spec;
  spec.model = "conv_mixer";
  spec.dataset = {"numpy_images", "/data"};
  spec.lr_schedule.kind = "cooldown";
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  CHECK(contract::run_spec_from_json(contract::to_json(spec), "run.json") == spec);
}
