// SPDX-License-Identifier: Apache-2.0
#include "contract/framework_options.hpp"

#include <algorithm>
#include <map>

#include "contract/vocabulary.hpp"

namespace dlscale::contract {
namespace {

struct Readers {
  std::string_view key;
  std::vector<std::string_view> frameworks;
};

const std::vector<Readers>& readers() {
  static const std::vector<Readers> all{
      {"framework_options.bucket_cap_mb", {"ddp", "hybrid"}},
      {"framework_options.first_bucket_mb", {"ddp", "hybrid"}},
      {"framework_options.gradient_as_bucket_view", {"ddp", "hybrid"}},
      {"framework_options.find_unused_parameters", {"ddp"}},
      {"framework_options.static_graph", {"ddp"}},
      {"framework_options.broadcast_buffers", {"ddp"}},
      {"framework_options.compression", {"ddp", "horovod"}},
      {"framework_options.powersgd_rank", {"ddp"}},
      {"framework_options.powersgd_start_step", {"ddp"}},
      {"framework_options.fusion_threshold_mb", {"horovod"}},
      {"framework_options.cycle_time_ms", {"horovod"}},
      {"framework_options.cache_capacity", {"horovod"}},
      {"framework_options.hierarchical_all_reduce", {"horovod"}},
      {"framework_options.autotune", {"horovod"}},
      {"framework_options.zero_stage", {"deepspeed"}},
      {"framework_options.reduce_bucket_elements", {"deepspeed"}},
      {"framework_options.allgather_bucket_elements", {"deepspeed"}},
      {"framework_options.overlap_comm", {"deepspeed"}},
      {"framework_options.use_reduce_scatter", {"deepspeed"}},
      {"framework_options.prefetch_elements", {"deepspeed"}},
      {"framework_options.persistence_threshold_elements", {"deepspeed"}},
      {"framework_options.offload_optimizer", {"deepspeed"}},
      {"framework_options.model_parallel_size", {"layerwise", "pipeline", "hybrid"}},
      {"framework_options.balance", {"layerwise", "pipeline", "hybrid"}},
      {"framework_options.micro_batches", {"pipeline", "hybrid"}},
      {"framework_options.pipeline_schedule", {"pipeline", "hybrid"}},
  };
  return all;
}

std::vector<std::string_view> not_read_by(std::string_view framework) {
  std::vector<std::string_view> keys;
  for (const Readers& option : readers()) {
    if (std::find(option.frameworks.begin(), option.frameworks.end(), framework) ==
        option.frameworks.end()) {
      keys.push_back(option.key);
    }
  }
  return keys;
}

}  // namespace

const std::vector<std::string_view>& foreign_options(std::string_view framework) {
  static const auto by_framework = [] {
    std::map<std::string_view, std::vector<std::string_view>> lists;
    for (const std::string& name : vocabulary("framework")) lists[name] = not_read_by(name);
    return lists;
  }();
  static const std::vector<std::string_view> kNone;
  const auto found = by_framework.find(framework);
  return found == by_framework.end() ? kNone : found->second;
}

}  // namespace dlscale::contract
