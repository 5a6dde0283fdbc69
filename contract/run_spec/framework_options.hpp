// SPDX-License-Identifier: Apache-2.0
// Defines the settings of framework styles, with the defaults of the frameworks.
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
  bool broadcast_buffers = true;  ///< ddp: broadcast of rank 0's buffers before each forward pass
  /// Format of the gradients that ddp and horovod send: none, fp16, bf16; ddp also powersgd.
  std::string compression = "none";
  int powersgd_rank = 1;           ///< ddp: rank of the matrices that approximate a gradient
  int powersgd_start_step = 1000;  ///< ddp: number of steps before compression starts

  // Options of horovod, as in Horovod's environment variables.
  double fusion_threshold_mb = 128;  ///< MiB of gradients that one all-reduce fuses
  double cycle_time_ms = 1;          ///< time between two rounds of negotiation
  int cache_capacity = 1024;         ///< number of tensors that are negotiated by one bit each
  bool hierarchical_all_reduce = false;
  bool autotune = false;  ///< tuning of fusion threshold and cycle time

  // Options of deepspeed, as in the keys of its zero_optimization.
  int zero_stage = 2;
  std::int64_t reduce_bucket_elements = 500'000'000;
  std::int64_t allgather_bucket_elements = 500'000'000;
  std::string overlap_comm = "auto";            ///< overlap: on, off; auto: on in stage 3
  bool use_reduce_scatter = false;              ///< reduce-scatter of buckets instead of all-reduce
  std::int64_t prefetch_elements = 50'000'000;  ///< stage 3: number of elements gathered in advance
  std::int64_t persistence_threshold_elements = 100'000;  ///< stage 3: largest block that stays
  bool offload_optimizer = false;  ///< optimizer state kept and updated in host memory

  // Options of layerwise, pipeline and hybrid.
  int model_parallel_size = 1;
  std::string balance = "cost";            ///< quantity that stages share: cost, parameters, blocks
  int micro_batches = 1;                   ///< number of micro-batches; pipeline, hybrid
  std::string pipeline_schedule = "1f1b";  ///< schedule: 1f1b, gpipe; pipeline, hybrid
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
