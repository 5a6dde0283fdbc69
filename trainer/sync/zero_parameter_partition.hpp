// SPDX-License-Identifier: Apache-2.0
// ZeRO stage 3: each rank keeps a part of every parameter, and has a block's whole parameters only
// while it computes with them.
#pragma once

#include <memory>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {

/// Needs SyncContext::model: parameters are gathered block by block, before forward and again
/// before backward, some blocks ahead (prefetch_elements); gradients are reduce-scattered.
std::unique_ptr<GradientSync> make_parameter_partition(const SyncContext& context);

}  // namespace dlscale::trainer
