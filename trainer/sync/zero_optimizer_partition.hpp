// SPDX-License-Identifier: Apache-2.0
// ZeRO stages 0 to 2, and the optimizer in host memory.
//
// Problem: in plain data parallelism, every rank stores the whole optimizer state.
// Idea: in stages 1 and 2, each rank updates only its partition of the parameters, and an
// all-gather then distributes all partitions to all ranks.
#pragma once

#include <memory>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {

// Optimizer in host memory for parameters on a device.

/// Makes ZeRO-Offload (Ren et al., 2021). The optimizer updates copies in host memory of the
/// tensors of `sync`, so its state is in host memory as well. Gradients are copied to the host
/// after backward, and parameters are copied back after the step. The host memory is pinned if a
/// GPU copies.
std::unique_ptr<GradientSync> with_host_optimizer(std::unique_ptr<GradientSync> sync,
                                                  const base::Clock& clock);

/// Makes ZeRO stage 1 or 2 (Rajbhandari et al., 2020), as in DeepSpeed's stage_1_and_2. Stage 1
/// reduces gradients after the last backward pass. Stage 2, and stage 1 with overlap, reduce
/// gradients in every backward pass as soon as they are ready. Stage 2 keeps only the gradients of
/// the partition.
std::unique_ptr<GradientSync> make_optimizer_partition(const SyncContext& context);

/// Makes stage 0, in which gradients are all-reduced in buckets after the last backward pass.
std::unique_ptr<GradientSync> make_bucketed_all_reduce(const SyncContext& context);

}  // namespace dlscale::trainer
