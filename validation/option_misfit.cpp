// SPDX-License-Identifier: Apache-2.0
#include "validation/option_misfit.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/run_spec/framework_styles.hpp"

namespace dlscale::validation {
namespace {

using Options = contract::FrameworkOptions;

const Options& defaults() {
  static const Options kDefaults;
  return kDefaults;
}

template <auto Member>
bool is_said(const Options& options) {
  return options.*Member != defaults().*Member;
}

/// "ddp", "ddp and hybrid", "layerwise, pipeline and hybrid".
std::string readers_of(std::string_view option) {
  std::vector<std::string_view> names;
  for (const contract::FrameworkStyle& style : contract::framework_styles()) {
    if (style.reads(option)) names.push_back(style.name);
  }
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 == names.size() ? " and " : ", ";
    list += names[i];
  }
  return list;
}

/// What a run description that nobody planned may say: studies have each framework's own alone.
std::optional<Misfit> find_foreign_option(const contract::RunSpec& run) {
  const contract::FrameworkStyle& style = contract::framework_style(run.framework);
  if (style.name.empty()) return {};
  for (const std::string_view option : contract::changed_options(run.framework_options)) {
    if (style.reads(option)) continue;
    return Misfit{fmt::format("framework_options.{}", option),
                  fmt::format("is an option of {}, which {} does not heed; leave it out",
                              readers_of(option), run.framework)};
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

std::optional<Misfit> find_option_of_other_stages(const contract::RunSpec& run) {
  if (!contract::framework_style(run.framework).reads("zero_stage")) return {};
  const int stage = run.framework_options.zero_stage;
  for (const StagesOption& option : kOfStages) {
    const bool is_heeded = option.first <= stage && stage <= option.last;
    if (is_heeded || !option.is_said(run.framework_options)) continue;
    return Misfit{option.key, fmt::format("is for {} of ZeRO, but zero_stage is {}; leave it out",
                                          words_of(option), stage)};
  }
  return {};
}

std::optional<Misfit> find_option_of_powersgd(const contract::RunSpec& run) {
  const Options& options = run.framework_options;
  if (options.compression == "powersgd") return {};
  if (!contract::framework_style(run.framework).reads("powersgd_rank")) return {};
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

std::optional<Misfit> find_option_misfit(const contract::RunSpec& run) {
  if (run.framework_options == defaults()) return {};
  for (const auto find :
       {&find_foreign_option, &find_option_of_other_stages, &find_option_of_powersgd}) {
    if (auto found = find(run)) return found;
  }
  return {};
}

}  // namespace dlscale::validation
