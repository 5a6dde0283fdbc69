// SPDX-License-Identifier: Apache-2.0
// What holds between computation on a GPU, collectives of its tensors and the times of both.
#pragma once

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** A collective takes what the GPU was to compute when it was submitted, and
/// whoever has waited for it computes with its result. Throws std::runtime_error saying what
/// failed.
void check_gpu_queue(trainer::Communicator& ranks, int gpu);

/// Tensors of a GPU go through Horovod's fusion buffer and back.
void check_gpu_fusion(int gpu);

/// A step's parts last as long as the GPU works on them, while the processor goes on at once.
void check_gpu_times(int gpu);

}  // namespace dlscale::test
