// SPDX-License-Identifier: Apache-2.0
// Assignment of GPUs to ranks, and identification of GPUs.
#pragma once

#include <array>
#include <string>

namespace dlscale::trainer {

/// Unique identifier of a GPU, or of one instance of a GPU that is divided into instances (MIG).
using GpuIdentity = std::array<char, 16>;

/// Returns the number of the GPU that a rank uses. The visible GPUs of a node are assigned
/// round-robin to the ranks of the node. `local_rank` is the number of the rank on its node. Throws
/// RunError (kExitBadRunDescription) when no GPU is visible.
int gpu_of(int local_rank);

/// Makes `gpu` the current GPU of this thread.
void use_gpu(int gpu);

GpuIdentity identity_of(int gpu);

/// Returns the name that the driver gives to the GPU of a rank, for example "NVIDIA
/// A100-SXM4-40GB". Returns an empty string in builds without CUDA.
std::string gpu_name(int local_rank);

}  // namespace dlscale::trainer
