// SPDX-License-Identifier: Apache-2.0
// The settings of framework styles; defaults are the frameworks' own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Each style reads only its own: those of the others stand in no run.json.
struct FrameworkOptions {
  // ddp, hybrid: as PyTorch's DistributedDataParallel
  double bucket_cap_mb = 25;   ///< gradient bucket size, MiB
  double first_bucket_mb = 1;  ///< cap of the first bucket, MiB
  bool gradient_as_bucket_view = true;
  bool find_unused_parameters = false;
  bool static_graph = false;
  bool broadcast_buffers = true;     ///< ddp: rank 0's, before each forward pass
  std::string compression = "none";  ///< ddp, horovod: as what gradients travel: none, fp16, bf16;
                                     ///< ddp: powersgd
  int powersgd_rank = 1;             ///< ddp: of the matrices that stand for a gradient
  int powersgd_start_step = 1000;    ///< ddp: steps before it that are not compressed

  // horovod: as Horovod's environment variables
  double fusion_threshold_mb = 128;  ///< MiB of gradients that go in one all-reduce
  double cycle_time_ms = 1;          ///< between two rounds of negotiation
  int cache_capacity = 1024;         ///< tensors whose negotiation is a bit
  bool hierarchical_all_reduce = false;
  bool autotune = false;  ///< of fusion threshold and cycle time

  // deepspeed: as the keys of its zero_optimization
  int zero_stage = 2;
  std::int64_t reduce_bucket_elements = 500'000'000;
  std::int64_t allgather_bucket_elements = 500'000'000;
  std::string overlap_comm = "auto";            ///< on, off; auto: on in stage 3
  bool use_reduce_scatter = false;              ///< buckets are reduce-scattered; else all-reduced
  std::int64_t prefetch_elements = 50'000'000;  ///< stage 3
  std::int64_t persistence_threshold_elements = 100'000;  ///< stage 3: smaller ones stay
  bool offload_optimizer = false;  ///< its state lies, and steps, in host memory

  // layerwise, pipeline, hybrid
  int model_parallel_size = 1;
  std::string balance = "cost";            ///< of stages: cost, parameters, blocks
  int micro_batches = 1;                   ///< pipeline, hybrid
  std::string pipeline_schedule = "1f1b";  ///< pipeline, hybrid: 1f1b, gpipe
  bool operator==(const FrameworkOptions&) const = default;
};

/// Returns the names of all options, in the order of run.json: "bucket_cap_mb" and so on.
const std::vector<std::string_view>& framework_option_names();

/// Returns the names of the options whose values differ from the defaults, in the same order.
std::vector<std::string_view> changed_options(const FrameworkOptions& options);

/// Returns "framework_options.KEY" of each option that `framework` does not read. The list is empty
/// for a framework that is not in framework_styles().
const std::vector<std::string_view>& foreign_options(std::string_view framework);

}  // namespace dlscale::contract
