// SPDX-License-Identifier: Apache-2.0
// ZeRO stages 1 and 2: each rank steps its partition of the parameters, then all get all of them.
#pragma once

#include <memory>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {

// Optimizers that step in host memory what a device trains.

/// ZeRO-Offload (Ren et al., 2021): the optimizer gets copies in host memory of what `sync` has it
/// step, so its state lies there too. Gradients are copied there after backward, parameters back
/// after the step. The memory is pinned where a GPU copies.
std::unique_ptr<GradientSync> with_host_optimizer(std::unique_ptr<GradientSync> sync,
                                                  const base::Clock& clock);

/// Rajbhandari et al., 2020, as DeepSpeed's stage_1_and_2 does it. Stage 1 reduces after the last
/// backward pass; with overlap, and in stage 2, gradients are reduced in every backward pass as
/// they come, and stage 2 keeps none but the partition's.
std::unique_ptr<GradientSync> make_optimizer_partition(const SyncContext& context);

/// Stage 0: gradients are all-reduced in buckets after the last backward pass.
std::unique_ptr<GradientSync> make_bucketed_all_reduce(const SyncContext& context);

}  // namespace dlscale::trainer
