// SPDX-License-Identifier: Apache-2.0
// Which GPU is a rank's.
#pragma once

#include <array>

namespace dlscale::trainer {

/// Tells a GPU, or a part of one that is handed out on its own, from all others in the world.
using GpuIdentity = std::array<char, 16>;

/// Number of the GPU of a rank: the local ranks of a node share out those they see in turn. Throws
/// RunError (kExitBadRunDescription) when none is visible.
int gpu_of(int local_rank);

/// This thread's work goes to it from now on.
void use_gpu(int gpu);

GpuIdentity identity_of(int gpu);

}  // namespace dlscale::trainer
