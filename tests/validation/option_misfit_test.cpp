// SPDX-License-Identifier: Apache-2.0
#include "validation/settings.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <string>

#include "base/error.hpp"

using namespace dlscale;
using contract::FrameworkOptions;
using contract::RunSpec;

namespace {

std::string said_of_options(const RunSpec& spec) {
  const auto conflict = validation::find_option_conflict(spec);
  return conflict ? conflict->key + ": " + conflict->reason : "no error";
}

std::string said_of_options(const std::string& framework, const FrameworkOptions& options) {
  RunSpec spec;
  spec.framework = framework;
  spec.framework_options = options;
  return said_of_options(spec);
}

/// Returns a run description with one option set, or nullopt if the value has the wrong type.
std::optional<RunSpec> with_option(const std::string& framework, const std::string& key,
                                   const std::string& value) {
  RunSpec spec;
  spec.run_id = "r";
  std::string text = contract::to_json(spec);
  const auto replace = [&](const std::string& from, const std::string& to, std::size_t length) {
    const std::size_t start = text.find(from);
    REQUIRE(start != std::string::npos);
    text.replace(start, length, to);
  };
  const std::string name = "\"framework\": \"ddp\"";
  replace(name, "\"framework\": \"" + framework + "\"", name.size());
  const std::string options = "\"framework_options\": {";
  const std::size_t begin = text.find(options);
  REQUIRE(begin != std::string::npos);
  replace(options, options + "\"" + key + "\": " + value + "}", text.find('}', begin) + 1 - begin);
  try {
    return contract::run_spec_from_json(text, "run.json");
  } catch (const base::SpecError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("every option is rejected for a framework that does not use it") {
  for (const std::string_view full : contract::foreign_options("synchronous")) {
    const std::string key(full.substr(full.find('.') + 1));
    int found = 0;
    for (const char* value :
         {"true", "false", "3", "\"fp16\"", "\"on\"", "\"gpipe\"", "\"parameters\""}) {
      const auto spec = with_option("synchronous", key, value);
      if (!spec || spec->framework_options == FrameworkOptions{}) continue;
      ++found;
      CHECK_THAT(said_of_options(*spec),
                 Catch::StartsWith(std::string(full) + ": is an option of "));
    }
    INFO(key);
    CHECK(found > 0);
  }
}

TEST_CASE("the error for an unused option names the frameworks that use it") {
  CHECK(said_of_options("pipeline", {.compression = "fp16"}) ==
        "framework_options.compression: is an option of ddp and horovod and has no effect with "
        "pipeline; omit this key");
  CHECK(said_of_options("ddp", {.zero_stage = 1}) ==
        "framework_options.zero_stage: is an option of deepspeed and has no effect with ddp; omit "
        "this key");
  CHECK(said_of_options("deepspeed", {.balance = "blocks"}) ==
        "framework_options.balance: is an option of layerwise, pipeline and hybrid and has no "
        "effect with deepspeed; omit this key");
  CHECK(said_of_options("hybrid", {.static_graph = true}) ==
        "framework_options.static_graph: is an option of ddp and has no effect with hybrid; omit "
        "this key");
  CHECK(said_of_options("hybrid", {.bucket_cap_mb = 1, .micro_batches = 2}) == "no error");
}

TEST_CASE("an option for some ZeRO stages is rejected in the other stages") {
  const auto found = [](int stage, FrameworkOptions options) {
    options.zero_stage = stage;
    return said_of_options("deepspeed", options) != "no error";
  };
  for (const int stage : {0, 1, 2, 3}) {
    INFO("stage " << stage);
    CHECK(found(stage, {}) == false);
    CHECK(found(stage, {.reduce_bucket_elements = 9}) == (stage == 3));
    CHECK(found(stage, {.allgather_bucket_elements = 9}) == (stage == 0 || stage == 3));
    CHECK(found(stage, {.use_reduce_scatter = true}) == (stage == 0 || stage == 3));
    CHECK(found(stage, {.overlap_comm = "on"}) == (stage == 0));
    CHECK(found(stage, {.overlap_comm = "off"}) == false);
    CHECK(found(stage, {.prefetch_elements = 9}) == (stage < 3));
    CHECK(found(stage, {.persistence_threshold_elements = 9}) == (stage < 3));
  }
  CHECK(said_of_options("deepspeed", {.zero_stage = 1, .prefetch_elements = 0}) ==
        "framework_options.prefetch_elements: applies to stage 3 of ZeRO, but zero_stage is 1; "
        "omit this key");
  CHECK(said_of_options("deepspeed", {.zero_stage = 3, .use_reduce_scatter = true}) ==
        "framework_options.use_reduce_scatter: applies to stages 1 and 2 of ZeRO, but zero_stage "
        "is 3; omit this key");
}

TEST_CASE("options of PowerSGD are rejected without PowerSGD") {
  FrameworkOptions options{.powersgd_rank = 4};
  CHECK(said_of_options("ddp", options) ==
        "framework_options.powersgd_rank: applies to compression = \"powersgd\", but compression "
        "is none; omit this key");
  options.compression = "powersgd";
  CHECK(said_of_options("ddp", options) == "no error");
  options = {.compression = "bf16", .powersgd_start_step = 9};
  CHECK(said_of_options("ddp", options) ==
        "framework_options.powersgd_start_step: applies to compression = \"powersgd\", but "
        "compression is bf16; omit this key");
}

TEST_CASE("ranks and samples that stages do not divide evenly are rejected") {
  const auto said = [](const std::string& framework, int gpus, const FrameworkOptions& options) {
    const RunSpec spec{.framework = framework,
                       .framework_options = options,
                       .gpus = gpus,
                       .batch_per_gpu = 6,
                       .global_batch = 6 * gpus};
    const auto conflict = validation::find_setting_conflict(spec);
    return conflict ? conflict->key + ": " + conflict->reason : "no error";
  };
  CHECK(said("hybrid", 3, {.model_parallel_size = 2}) ==
        "gpus: is 3, but must be a multiple of 2 (framework_options.model_parallel_size)");
  CHECK(said("hybrid", 4, {.model_parallel_size = 2, .micro_batches = 4}) == "no error");
  CHECK(said("hybrid", 4, {.model_parallel_size = 2, .micro_batches = 5}) ==
        "framework_options.micro_batches: is 5, but must divide the batch of each replica (12 "
        "samples) evenly");
  CHECK(said("pipeline", 4, {.micro_batches = 8}) == "no error");
  CHECK_THAT(said("pipeline", 4, {.micro_batches = 5}),
             Catch::Contains("of each replica (24 samples)"));
  RunSpec accumulating{.framework = "pipeline",
                       .framework_options = {.micro_batches = 32},
                       .gpus = 2,
                       .batch_per_gpu = 8,
                       .global_batch = 32,
                       .accumulation_steps = 2};
  CHECK(validation::find_setting_conflict(accumulating)->reason ==
        "is 32, but must divide the batch of each replica (16 samples) evenly");
  accumulating.framework_options.micro_batches = 16;
  CHECK_FALSE(validation::find_setting_conflict(accumulating));
  for (const char* framework : {"pipeline", "layerwise"}) {
    CHECK(said(framework, 4, {.model_parallel_size = 4}) == "no error");
    CHECK(said(framework, 4, {.model_parallel_size = 2}) ==
          "framework_options.model_parallel_size: is 2, but " + std::string(framework) +
              " divides one model over all 4 ranks; omit this key, or use hybrid for several "
              "replicas");
  }
}
