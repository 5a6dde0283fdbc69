// SPDX-License-Identifier: Apache-2.0
// Optimizers that step in host memory what a device trains.
#pragma once

#include <memory>

#include "trainer/sync/gradient_sync.hpp"

namespace dlscale::trainer {

/// ZeRO-Offload (Ren et al., 2021): the optimizer gets copies in host memory of what `sync` has it
/// step, so its state lies there too. Gradients are copied there after backward, parameters back
/// after the step. The memory is pinned where a GPU copies.
std::unique_ptr<GradientSync> with_host_optimizer(std::unique_ptr<GradientSync> sync,
                                                  const base::Clock& clock);

}  // namespace dlscale::trainer
