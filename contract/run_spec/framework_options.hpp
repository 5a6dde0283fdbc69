// SPDX-License-Identifier: Apache-2.0
// Defines the options of framework styles. The defaults are those of the frameworks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Options of all framework styles. Each style reads only its own options, and a run.json contains
/// only the options that its style reads.
struct FrameworkOptions {
  // Options of ddp and hybrid, as in PyTorch's DistributedDataParallel.
  double bucket_cap_mb = 25;   ///< gradient bucket size, MiB
  double first_bucket_mb = 1;  ///< cap of the first bucket, MiB
  bool gradient_as_bucket_view = true;
  bool find_unused_parameters = false;
  bool static_graph = false;
  bool broadcast_buffers = true;  ///< ddp: rank 0 broadcasts its buffers before each forward pass
  /// Format in which ddp and horovod send gradients: none, fp16, bf16. ddp also accepts powersgd.
  std::string compression = "none";
  int powersgd_rank = 1;           ///< ddp: rank of the matrices that approximate a gradient
  int powersgd_start_step = 1000;  ///< ddp: number of steps before compression starts

  // Options of horovod, as in Horovod's environment variables.
  double fusion_threshold_mb = 128;  ///< MiB of gradients that one all-reduce fuses
  double cycle_time_ms = 1;          ///< time between two rounds of negotiation
  /// Number of negotiated tensors that are cached. A rank announces with one bit that a cached
  /// tensor is ready.
  int cache_capacity = 1024;
  bool hierarchical_all_reduce = false;
  /// True if the fusion threshold and the cycle time are tuned while training.
  bool autotune = false;

  // Options of deepspeed, as in the section zero_optimization of DeepSpeed's configuration.
  int zero_stage = 2;
  std::int64_t reduce_bucket_elements = 500'000'000;
  std::int64_t allgather_bucket_elements = 500'000'000;
  /// Overlap of communication: "on" or "off". "auto" means "on" in stage 3.
  std::string overlap_comm = "auto";
  /// True to reduce-scatter buckets instead of all-reducing them.
  bool use_reduce_scatter = false;
  std::int64_t prefetch_elements = 50'000'000;  ///< stage 3: number of elements gathered in advance
  /// For stage 3: size of the largest block that stays gathered.
  std::int64_t persistence_threshold_elements = 100'000;
  bool offload_optimizer = false;  ///< true to keep and update the optimizer state in host memory

  // Options of layerwise, pipeline and hybrid.
  int model_parallel_size = 1;
  /// Quantity divided equally among stages: cost, parameters, blocks.
  std::string balance = "cost";
  int micro_batches = 1;                   ///< pipeline, hybrid: number of micro-batches
  std::string pipeline_schedule = "1f1b";  ///< pipeline, hybrid: order of the passes, 1f1b or gpipe
  bool operator==(const FrameworkOptions&) const = default;
};

/// Returns the names of all options, in the order of run.json: "bucket_cap_mb" and so on.
const std::vector<std::string_view>& framework_option_names();

/// Returns the names of the options whose values differ from the defaults, in the order of
/// run.json.
std::vector<std::string_view> changed_options(const FrameworkOptions& options);

/// Returns "framework_options.KEY" of each option that `framework` does not read. The list is empty
/// for a framework that is not in framework_styles().
const std::vector<std::string_view>& foreign_options(std::string_view framework);

}  // namespace dlscale::contract
