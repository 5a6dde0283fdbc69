// SPDX-License-Identifier: Apache-2.0
// Which GPU is a rank's.
#pragma once

#include <array>
#include <string>

namespace dlscale::trainer {

/// Tells a GPU, or a part of one that is handed out on its own, from all others in the world.
using GpuIdentity = std::array<char, 16>;

/// Number of the GPU of a rank: the local ranks of a node share out those they see in turn. Throws
/// RunError (kExitBadRunDescription) when none is visible.
int gpu_of(int local_rank);

/// This thread's work goes to it from now on.
void use_gpu(int gpu);

GpuIdentity identity_of(int gpu);

/// Of the GPU of a rank, as the driver names it: "NVIDIA A100-SXM4-40GB". Empty in builds without
/// CUDA.
std::string gpu_name(int local_rank);

}  // namespace dlscale::trainer
