// SPDX-License-Identifier: Apache-2.0
// The options of each framework style, as keys of a study: `frameworks.NAME.OPTION`.
#include <functional>
#include <map>
#include <string_view>

#include "contract/run_spec/framework_styles.hpp"
#include "planner/study/setting_rows.hpp"

namespace dlscale::planner {
namespace {

using contract::FrameworkOptions;
using contract::FrameworkStyle;

/// Makes the setting of one option under `key` for one style.
using MakeSetting = std::function<Setting(const FrameworkStyle& style, const std::string& key)>;

template <class Member>
auto of_framework(const FrameworkStyle& style, Member FrameworkOptions::*member) {
  return [=, name = std::string(style.name)](Recipe& r) -> Member& {
    return r.framework_options[name].*member;
  };
}

MakeSetting flag_option(bool FrameworkOptions::*member) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return flag(key, of_framework(style, member));
  };
}

MakeSetting number_option(double FrameworkOptions::*member) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return number(key, 0, config::kNoLimit, of_framework(style, member));
  };
}

template <class Whole>
MakeSetting whole_option(Whole FrameworkOptions::*member, std::int64_t least,
                         std::int64_t most = config::kMostWhole) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return whole(key, least, of_framework(style, member), most);
  };
}

MakeSetting choice_option(std::string FrameworkOptions::*member,
                          const std::vector<std::string>& choices) {
  return [=](const FrameworkStyle& style, const std::string& key) {
    return choice(key, "value", choices, of_framework(style, member));
  };
}

/// PowerSGD has a rank, so only styles that read powersgd_rank offer it.
Setting compression_option(const FrameworkStyle& style, const std::string& key) {
  std::vector<std::string> choices{"none", "fp16", "bf16"};
  if (style.reads("powersgd_rank")) choices.emplace_back("powersgd");
  return choice(key, "value", std::move(choices),
                of_framework(style, &FrameworkOptions::compression));
}

/// What an option may be is the same for every style that reads it.
const std::map<std::string_view, MakeSetting>& option_makers() {
  using O = FrameworkOptions;
  static const std::map<std::string_view, MakeSetting> makers{
      {"bucket_cap_mb", number_option(&O::bucket_cap_mb)},
      {"first_bucket_mb", number_option(&O::first_bucket_mb)},
      {"gradient_as_bucket_view", flag_option(&O::gradient_as_bucket_view)},
      {"find_unused_parameters", flag_option(&O::find_unused_parameters)},
      {"static_graph", flag_option(&O::static_graph)},
      {"broadcast_buffers", flag_option(&O::broadcast_buffers)},
      {"compression", &compression_option},
      {"powersgd_rank", whole_option(&O::powersgd_rank, 1)},
      {"powersgd_start_step", whole_option(&O::powersgd_start_step, 0)},
      {"fusion_threshold_mb", number_option(&O::fusion_threshold_mb)},
      {"cycle_time_ms", number_option(&O::cycle_time_ms)},
      {"cache_capacity", whole_option(&O::cache_capacity, 0)},
      {"hierarchical_all_reduce", flag_option(&O::hierarchical_all_reduce)},
      {"autotune", flag_option(&O::autotune)},
      {"zero_stage", whole_option(&O::zero_stage, 0, 3)},
      {"reduce_bucket_elements", whole_option(&O::reduce_bucket_elements, 1)},
      {"allgather_bucket_elements", whole_option(&O::allgather_bucket_elements, 1)},
      {"overlap_comm", choice_option(&O::overlap_comm, {"auto", "on", "off"})},
      {"use_reduce_scatter", flag_option(&O::use_reduce_scatter)},
      {"prefetch_elements", whole_option(&O::prefetch_elements, 0)},
      {"persistence_threshold_elements", whole_option(&O::persistence_threshold_elements, 0)},
      {"offload_optimizer", flag_option(&O::offload_optimizer)},
      {"model_parallel_size", whole_option(&O::model_parallel_size, 1)},
      {"balance", choice_option(&O::balance, {"cost", "parameters", "blocks"})},
      {"micro_batches", whole_option(&O::micro_batches, 1)},
      {"pipeline_schedule", choice_option(&O::pipeline_schedule, {"1f1b", "gpipe"})}};
  return makers;
}

}  // namespace

std::vector<Setting> framework_settings() {
  std::vector<Setting> settings;
  for (const FrameworkStyle& style : contract::framework_styles()) {
    const std::string prefix = "frameworks." + std::string(style.name) + ".";
    for (const std::string_view option : style.options) {
      settings.push_back(option_makers().at(option)(style, prefix + std::string(option)));
    }
  }
  return settings;
}

}  // namespace dlscale::planner
