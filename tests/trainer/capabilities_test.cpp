// SPDX-License-Identifier: Apache-2.0
#include "trainer/capabilities.hpp"

#include <catch2/catch.hpp>

#include "base/file.hpp"
#include "contract/vocabulary.hpp"

using namespace dlscale;

TEST_CASE("every name this build offers is in the vocabulary, and every family has one") {
  const auto available = trainer::capabilities();
  for (const std::string& family : contract::families()) {
    INFO(family);
    if (family == "log_format") continue;  // of other trainers; `dlscale collect` reads them
    REQUIRE(available.families.contains(family));
    CHECK(!available.families.at(family).empty());
    for (const std::string& name : available.families.at(family)) {
      INFO(name);
      CHECK(contract::is_known(family, name));
    }
  }
}

TEST_CASE("the capabilities file of this build says the same") {
  const std::string file = DLSCALE_BINARY_DIR "/share/dlscale/capabilities.json";
  CHECK(contract::capabilities_from_json(base::read_file(file), file) == trainer::capabilities());
}

TEST_CASE("a description with what there is passes") {
  contract::RunSpec spec;
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
}

TEST_CASE("a known name that this build lacks is an error naming the key and what there is") {
  contract::RunSpec spec;
  spec.framework = "data_parallel";
  CHECK_THROWS_WITH(
      trainer::require_available(spec, "run.json"),
      "run.json: framework: this dlscale-train has no framework \"data_parallel\" (it "
      "has: synchronous, ddp, horovod, deepspeed, vanilla_data_parallel, layerwise, "
      "pipeline, hybrid)");
  spec = {};
  spec.resources.communicator = "thread";
  CHECK_THROWS_WITH(
      trainer::require_available(spec, "run.json"),
      Catch::Contains("resources.communicator: this dlscale-train has no communicator"));
}

TEST_CASE("a run of another program's is refused") {
  contract::RunSpec spec;
  spec.trainer.command = "python train.py";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    Catch::Contains("run.json: trainer.command: this run is another program's"));
}

TEST_CASE("gradient accumulation is refused where a style divides the model") {
  contract::RunSpec spec;
  spec.accumulation_steps = 4;
  CHECK_NOTHROW(trainer::require_available(spec, "run.json"));
  spec.framework = "pipeline";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    Catch::Contains("run.json: accumulation_steps: is 4"));
}

TEST_CASE("a run that is not to train is refused") {
  contract::RunSpec spec;
  spec.mode = "inference";
  CHECK_THROWS_WITH(trainer::require_available(spec, "run.json"),
                    "run.json: mode: is inference, but this dlscale-train only trains");
}
