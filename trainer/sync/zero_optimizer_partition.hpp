// SPDX-License-Identifier: Apache-2.0
// ZeRO stages 0 to 2, and ZeRO-Offload, which keeps the optimizer in host memory.
//
// Problem: in plain data parallelism, every rank stores the whole optimizer state. Idea: in stages
// 1 and 2, each rank updates only its partition of the parameters, and an all-gather then
// distributes all partitions to all ranks.
#pragma once

#include <memory>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {

// The following function moves the optimizer of parameters on a device to host memory.

/// Makes ZeRO-Offload (Ren et al., 2021). The tensors that the optimizer updates are copies, in
/// host memory, of the tensors of `sync`. The state of the optimizer is therefore in host memory as
/// well. Gradients are copied to the host after the backward pass. Parameters are copied back to
/// the device after the optimizer step. The host memory is pinned if the device is a GPU.
std::unique_ptr<GradientSync> with_host_optimizer(std::unique_ptr<GradientSync> sync,
                                                  const base::Clock& clock);

/// Makes ZeRO stage 1 or 2 (Rajbhandari et al., 2020), as in DeepSpeed's stage_1_and_2. Stage 1
/// reduces gradients after the last backward pass of a step. Stage 2, and stage 1 with
/// overlap_comm, reduce gradients during every backward pass, as soon as the gradients are ready. A
/// rank then keeps only the gradients of its own partition.
std::unique_ptr<GradientSync> make_optimizer_partition(const SyncContext& context);

/// Makes ZeRO stage 0, which all-reduces the gradients in buckets after the last backward pass of a
/// step.
std::unique_ptr<GradientSync> make_bucketed_all_reduce(const SyncContext& context);

}  // namespace dlscale::trainer
