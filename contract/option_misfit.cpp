// SPDX-License-Identifier: Apache-2.0
#include "contract/option_misfit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/vocabulary.hpp"

namespace dlscale::contract {
namespace {

using Options = FrameworkOptions;

/// An option, and whether it is another one than the default.
struct Option {
  std::string_view key;
  bool (*is_said)(const Options& options);
};

const Options& defaults() {
  static const Options kDefaults;
  return kDefaults;
}

template <auto Member>
bool is_said(const Options& options) {
  return options.*Member != defaults().*Member;
}

constexpr Option kOptions[] = {
    {"framework_options.bucket_cap_mb", is_said<&Options::bucket_cap_mb>},
    {"framework_options.first_bucket_mb", is_said<&Options::first_bucket_mb>},
    {"framework_options.gradient_as_bucket_view", is_said<&Options::gradient_as_bucket_view>},
    {"framework_options.find_unused_parameters", is_said<&Options::find_unused_parameters>},
    {"framework_options.static_graph", is_said<&Options::static_graph>},
    {"framework_options.broadcast_buffers", is_said<&Options::broadcast_buffers>},
    {"framework_options.compression", is_said<&Options::compression>},
    {"framework_options.powersgd_rank", is_said<&Options::powersgd_rank>},
    {"framework_options.powersgd_start_step", is_said<&Options::powersgd_start_step>},
    {"framework_options.fusion_threshold_mb", is_said<&Options::fusion_threshold_mb>},
    {"framework_options.cycle_time_ms", is_said<&Options::cycle_time_ms>},
    {"framework_options.cache_capacity", is_said<&Options::cache_capacity>},
    {"framework_options.hierarchical_all_reduce", is_said<&Options::hierarchical_all_reduce>},
    {"framework_options.autotune", is_said<&Options::autotune>},
    {"framework_options.zero_stage", is_said<&Options::zero_stage>},
    {"framework_options.reduce_bucket_elements", is_said<&Options::reduce_bucket_elements>},
    {"framework_options.allgather_bucket_elements", is_said<&Options::allgather_bucket_elements>},
    {"framework_options.overlap_comm", is_said<&Options::overlap_comm>},
    {"framework_options.use_reduce_scatter", is_said<&Options::use_reduce_scatter>},
    {"framework_options.prefetch_elements", is_said<&Options::prefetch_elements>},
    {"framework_options.persistence_threshold_elements",
     is_said<&Options::persistence_threshold_elements>},
    {"framework_options.offload_optimizer", is_said<&Options::offload_optimizer>},
    {"framework_options.model_parallel_size", is_said<&Options::model_parallel_size>},
    {"framework_options.balance", is_said<&Options::balance>},
    {"framework_options.micro_batches", is_said<&Options::micro_batches>},
    {"framework_options.pipeline_schedule", is_said<&Options::pipeline_schedule>}};

bool heeds(std::string_view framework, std::string_view key) {
  const auto& foreign = foreign_options(framework);
  return std::find(foreign.begin(), foreign.end(), key) == foreign.end();
}

/// "ddp", "ddp and hybrid", "layerwise, pipeline and hybrid".
std::string readers_of(std::string_view key) {
  std::vector<std::string> names;
  for (const std::string& name : vocabulary("framework")) {
    if (heeds(name, key)) names.push_back(name);
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}

/// What a run description that nobody planned may say: studies have each framework's own alone.
std::optional<Misfit> find_foreign_option(const RunSpec& run) {
  for (const Option& option : kOptions) {
    if (!option.is_said(run.framework_options) || heeds(run.framework, option.key)) continue;
    return Misfit{std::string(option.key),
                  fmt::format("is an option of {}, which {} does not heed; leave it out",
                              readers_of(option.key), run.framework)};
  }
  return {};
}

/// Of ZeRO, from one stage to another.
struct StagesOption {
  const char* key;
  bool (*is_said)(const Options& options);
  int first, last;
};

constexpr StagesOption kOfStages[] = {
    {"framework_options.reduce_bucket_elements", is_said<&Options::reduce_bucket_elements>, 0, 2},
    {"framework_options.allgather_bucket_elements", is_said<&Options::allgather_bucket_elements>, 1,
     2},
    {"framework_options.use_reduce_scatter", is_said<&Options::use_reduce_scatter>, 1, 2},
    {"framework_options.overlap_comm",
     [](const Options& options) { return options.overlap_comm == "on"; }, 1, 3},
    {"framework_options.prefetch_elements", is_said<&Options::prefetch_elements>, 3, 3},
    {"framework_options.persistence_threshold_elements",
     is_said<&Options::persistence_threshold_elements>, 3, 3}};

std::string words_of(const StagesOption& option) {
  if (option.first == option.last) return fmt::format("stage {}", option.first);
  return fmt::format("stages {} {} {}", option.first,
                     option.last == option.first + 1 ? "and" : "to", option.last);
}

std::optional<Misfit> find_option_of_other_stages(const RunSpec& run) {
  if (run.framework != "deepspeed") return {};
  const int stage = run.framework_options.zero_stage;
  for (const StagesOption& option : kOfStages) {
    const bool is_heeded = option.first <= stage && stage <= option.last;
    if (is_heeded || !option.is_said(run.framework_options)) continue;
    return Misfit{option.key, fmt::format("is for {} of ZeRO, but zero_stage is {}; leave it out",
                                          words_of(option), stage)};
  }
  return {};
}

std::optional<Misfit> find_option_of_powersgd(const RunSpec& run) {
  const Options& options = run.framework_options;
  if (run.framework != "ddp" || options.compression == "powersgd") return {};
  for (const auto& [key, said] :
       {std::pair{"framework_options.powersgd_rank", is_said<&Options::powersgd_rank>(options)},
        std::pair{"framework_options.powersgd_start_step",
                  is_said<&Options::powersgd_start_step>(options)}}) {
    if (!said) continue;
    return Misfit{key, fmt::format("is for compression = \"powersgd\", but compression is {}; "
                                   "leave it out",
                                   options.compression)};
  }
  return {};
}

}  // namespace

std::optional<Misfit> find_option_misfit(const RunSpec& run) {
  if (run.framework_options == defaults()) return {};
  for (const auto find :
       {&find_foreign_option, &find_option_of_other_stages, &find_option_of_powersgd}) {
    if (auto found = find(run)) return found;
  }
  return {};
}

}  // namespace dlscale::contract
