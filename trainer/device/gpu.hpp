// SPDX-License-Identifier: Apache-2.0
// Assignment of GPUs to ranks, and identification of GPUs.
#pragma once

#include <array>
#include <string>

namespace dlscale::trainer {

/// Unique identifier of a GPU, or of a part of a GPU that is allocated separately.
using GpuIdentity = std::array<char, 16>;

/// Returns the number of the GPU of a rank. The visible GPUs are assigned to the local ranks of a
/// node round-robin. Throws RunError (kExitBadRunDescription) when no GPU is visible.
int gpu_of(int local_rank);

/// Makes `gpu` the current GPU of this thread.
void use_gpu(int gpu);

GpuIdentity identity_of(int gpu);

/// Returns the driver's name for the GPU of a rank, for example "NVIDIA A100-SXM4-40GB". Returns an
/// empty string in builds without CUDA.
std::string gpu_name(int local_rank);

}  // namespace dlscale::trainer
