// SPDX-License-Identifier: Apache-2.0
// The options of each framework, as a study says them.
#include "planner/study/setting_rows.hpp"

namespace dlscale::planner {
namespace {

using contract::FrameworkOptions;

template <class Member>
auto of_framework(const std::string& name, Member FrameworkOptions::*member) {
  return [=](Recipe& r) -> Member& { return r.framework_options[name].*member; };
}

/// The options of one framework, each under frameworks.NAME.
struct OptionRows {
  using O = FrameworkOptions;
  std::string framework;
  std::vector<Setting> rows = {};

  std::string key(const char* option) const { return "frameworks." + framework + "." + option; }
  void flag_of(const char* option, bool O::*member) {
    rows.push_back(flag(key(option), of_framework(framework, member)));
  }
  void number_of(const char* option, double O::*member) {
    rows.push_back(number(key(option), 0, kNoLimit, of_framework(framework, member)));
  }
  template <class Whole>
  void whole_of(const char* option, Whole O::*member, std::int64_t least,
                std::int64_t most = kMostWhole) {
    rows.push_back(whole(key(option), least, of_framework(framework, member), most));
  }
  void choice_of(const char* option, std::string O::*member, std::vector<std::string> choices) {
    rows.push_back(
        choice(key(option), "value", std::move(choices), of_framework(framework, member)));
  }
};

std::vector<Setting> bucket_options(const std::string& framework) {
  using O = FrameworkOptions;
  OptionRows of{framework};
  of.number_of("bucket_cap_mb", &O::bucket_cap_mb);
  of.number_of("first_bucket_mb", &O::first_bucket_mb);
  of.flag_of("gradient_as_bucket_view", &O::gradient_as_bucket_view);
  return of.rows;
}

std::vector<Setting> ddp_options() {
  using O = FrameworkOptions;
  OptionRows of{"ddp", bucket_options("ddp")};
  of.flag_of("find_unused_parameters", &O::find_unused_parameters);
  of.flag_of("static_graph", &O::static_graph);
  of.flag_of("broadcast_buffers", &O::broadcast_buffers);
  of.choice_of("compression", &O::compression, {"none", "fp16", "bf16", "powersgd"});
  of.whole_of("powersgd_rank", &O::powersgd_rank, 1);
  of.whole_of("powersgd_start_step", &O::powersgd_start_step, 0);
  return of.rows;
}

std::vector<Setting> horovod_options() {
  using O = FrameworkOptions;
  OptionRows of{"horovod"};
  of.number_of("fusion_threshold_mb", &O::fusion_threshold_mb);
  of.number_of("cycle_time_ms", &O::cycle_time_ms);
  of.whole_of("cache_capacity", &O::cache_capacity, 0);
  of.flag_of("hierarchical_all_reduce", &O::hierarchical_all_reduce);
  of.choice_of("compression", &O::compression, {"none", "fp16", "bf16"});
  of.flag_of("autotune", &O::autotune);
  return of.rows;
}

std::vector<Setting> deepspeed_options() {
  using O = FrameworkOptions;
  OptionRows of{"deepspeed"};
  of.whole_of("zero_stage", &O::zero_stage, 0, 3);
  of.whole_of("reduce_bucket_elements", &O::reduce_bucket_elements, 1);
  of.whole_of("allgather_bucket_elements", &O::allgather_bucket_elements, 1);
  of.choice_of("overlap_comm", &O::overlap_comm, {"auto", "on", "off"});
  of.flag_of("use_reduce_scatter", &O::use_reduce_scatter);
  of.whole_of("prefetch_elements", &O::prefetch_elements, 0);
  of.whole_of("persistence_threshold_elements", &O::persistence_threshold_elements, 0);
  of.flag_of("offload_optimizer", &O::offload_optimizer);
  return of.rows;
}

std::vector<Setting> division_options(const std::string& framework) {
  using O = FrameworkOptions;
  OptionRows of{framework};
  of.whole_of("model_parallel_size", &O::model_parallel_size, 1);
  of.choice_of("balance", &O::balance, {"cost", "parameters", "blocks"});
  if (framework == "layerwise") return of.rows;
  of.whole_of("micro_batches", &O::micro_batches, 1);
  of.choice_of("pipeline_schedule", &O::pipeline_schedule, {"1f1b", "gpipe"});
  return of.rows;
}

}  // namespace

std::vector<Setting> framework_settings() {
  return joined({ddp_options(), horovod_options(), deepspeed_options(),
                 division_options("layerwise"), division_options("pipeline"),
                 division_options("hybrid"), bucket_options("hybrid")});
}

}  // namespace dlscale::planner
