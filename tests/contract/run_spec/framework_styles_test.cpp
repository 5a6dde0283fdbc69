// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/framework_styles.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "contract/run_spec/process_count.hpp"
#include "contract/run_spec/vocabulary.hpp"

using namespace dlscale;
using namespace dlscale::contract;

namespace {

bool is_option(std::string_view name) {
  const auto& names = framework_option_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

RunSpec on_four_gpus(std::string_view framework) {
  RunSpec run;
  run.framework = framework;
  run.gpus = 4;
  run.global_batch = 4 * run.batch_per_gpu;
  return run;
}

}  // namespace

TEST_CASE("the framework vocabulary lists the name of each style once") {
  std::vector<std::string> names;
  for (const FrameworkStyle& style : framework_styles()) names.emplace_back(style.name);
  CHECK(names == vocabulary("framework"));
  CHECK(std::set<std::string>(names.begin(), names.end()).size() == names.size());
}

TEST_CASE("a style is found by its name, and an unknown name has a default style") {
  for (const FrameworkStyle& style : framework_styles()) {
    CHECK(&framework_style(style.name) == &style);
  }
  for (const char* name : {"", "megatron", "DDP"}) {
    const FrameworkStyle& style = framework_style(name);
    CHECK(style.name.empty());
    CHECK(style.options.empty());
    CHECK(style.step_model == StepModel::none);
    CHECK(process_count(on_four_gpus(name)) == 4);
    CHECK(stage_count(on_four_gpus(name)) == 1);
    CHECK(foreign_options(name).empty());
  }
}

TEST_CASE("every option that a style reads exists, and every option is read by a style") {
  std::set<std::string_view> read;
  for (const FrameworkStyle& style : framework_styles()) {
    INFO(style.name);
    for (const std::string_view option : style.options) {
      INFO(option);
      CHECK(is_option(option));
      CHECK(style.reads(option));
      CHECK(std::count(style.options.begin(), style.options.end(), option) == 1);
    }
    read.insert(style.options.begin(), style.options.end());
  }
  CHECK(read.size() == framework_option_names().size());
}

TEST_CASE("the options and the foreign options of a style together are all options") {
  for (const FrameworkStyle& style : framework_styles()) {
    INFO(style.name);
    const auto& foreign = foreign_options(style.name);
    CHECK(foreign.size() + style.options.size() == framework_option_names().size());
    for (const std::string_view option : style.options) {
      const std::string key = "framework_options." + std::string(option);
      CHECK(std::find(foreign.begin(), foreign.end(), key) == foreign.end());
    }
  }
}

TEST_CASE("options that differ from their defaults are listed in the order of run.json") {
  CHECK(changed_options({}).empty());
  CHECK(changed_options({.compression = "fp16"}) == std::vector<std::string_view>{"compression"});
  CHECK(changed_options({.bucket_cap_mb = 1, .prefetch_elements = 7, .offload_optimizer = true}) ==
        std::vector<std::string_view>{"bucket_cap_mb", "offload_optimizer", "prefetch_elements"});
}

TEST_CASE("an option that depends on another option is read together with it") {
  for (const FrameworkStyle& style : framework_styles()) {
    INFO(style.name);
    CHECK(style.reads("model_parallel_size") == (style.stages != Stages::one));
    CHECK(style.reads("micro_batches") == style.reads("pipeline_schedule"));
    if (style.reads("powersgd_rank")) CHECK(style.reads("compression"));
    CHECK(style.reads("powersgd_rank") == style.reads("powersgd_start_step"));
    if (style.reads("overlap_comm")) CHECK(style.reads("zero_stage"));
  }
}

TEST_CASE("predictions cover only replicated models") {
  for (const FrameworkStyle& style : framework_styles()) {
    if (style.step_model == StepModel::none) continue;
    INFO(style.name);
    const bool is_central = style.step_model == StepModel::central;
    CHECK(style.stages == Stages::one);
    CHECK((is_central || style.processes == Processes::one_per_gpu));
    CHECK(style.no_all_reduce.empty() != is_central);
  }
}

TEST_CASE("a style reads the options of its step model") {
  for (const FrameworkStyle& style : framework_styles()) {
    INFO(style.name);
    if (style.step_model == StepModel::zero) CHECK(style.reads("zero_stage"));
    if (style.step_model == StepModel::fusion) CHECK(style.reads("fusion_threshold_mb"));
    if (style.step_model == StepModel::buckets) CHECK(style.reads("bucket_cap_mb"));
  }
}

TEST_CASE("the number of stages of a model depends on its style") {
  for (const FrameworkStyle& style : framework_styles()) {
    INFO(style.name);
    RunSpec run = on_four_gpus(style.name);
    run.framework_options.model_parallel_size = 2;
    const int expected = style.stages == Stages::one ? 1 : style.stages == Stages::gpus ? 4 : 2;
    CHECK(stage_count(run) == expected);
  }
}
