// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/framework_styles.hpp"

#include <algorithm>

namespace dlscale::contract {
namespace {

/// Returns all styles, in the order in which messages, tables and studies list them.
const std::vector<FrameworkStyle>& all_styles() {
  static const std::vector<FrameworkStyle> styles{
      {.name = "synchronous",
       .exchanges_after_passes = true,
       .step_model = StepModel::each_gradient},
      {.name = "ddp",
       .options = {"bucket_cap_mb", "first_bucket_mb", "gradient_as_bucket_view",
                   "find_unused_parameters", "static_graph", "broadcast_buffers", "compression",
                   "powersgd_rank", "powersgd_start_step"},
       .step_model = StepModel::buckets},
      {.name = "horovod",
       .options = {"fusion_threshold_mb", "cycle_time_ms", "cache_capacity",
                   "hierarchical_all_reduce", "compression", "autotune"},
       .step_model = StepModel::fusion},
      {.name = "deepspeed",
       .options = {"zero_stage", "reduce_bucket_elements", "allgather_bucket_elements",
                   "overlap_comm", "use_reduce_scatter", "prefetch_elements",
                   "persistence_threshold_elements", "offload_optimizer"},
       .exchanges_after_passes = true,
       .step_model = StepModel::zero},
      {.name = "data_parallel",
       .processes = Processes::one,
       .no_all_reduce = "adds up gradients within one process",
       .own_statistics = "each device computes its own statistics, as in PyTorch",
       .step_model = StepModel::central},
      {.name = "vanilla_data_parallel",
       .no_all_reduce = "sends gradients to rank 0, one message after the other",
       .step_model = StepModel::central},
      {.name = "layerwise",
       .options = {"model_parallel_size", "balance"},
       .stages = Stages::gpus,
       .no_all_reduce = "has a single replica and reduces no gradients"},
      {.name = "pipeline",
       .options = {"model_parallel_size", "balance", "micro_batches", "pipeline_schedule"},
       .stages = Stages::gpus,
       .no_all_reduce = "has a single replica and reduces no gradients"},
      {.name = "hybrid",
       .options = {"model_parallel_size", "balance", "micro_batches", "pipeline_schedule",
                   "bucket_cap_mb", "first_bucket_mb", "gradient_as_bucket_view"},
       .stages = Stages::model_parallel_size},
  };
  return styles;
}

}  // namespace

bool FrameworkStyle::reads(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

std::span<const FrameworkStyle> framework_styles() {
  return all_styles();
}

const FrameworkStyle& framework_style(std::string_view name) {
  static const FrameworkStyle kWithoutRow;
  for (const FrameworkStyle& style : all_styles()) {
    if (style.name == name) return style;
  }
  return kWithoutRow;
}

int stage_count(const RunSpec& run) {
  const Stages stages = framework_style(run.framework).stages;
  if (stages == Stages::one) return 1;
  return stages == Stages::gpus ? run.gpus : run.framework_options.model_parallel_size;
}

}  // namespace dlscale::contract
