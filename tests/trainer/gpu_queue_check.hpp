// SPDX-License-Identifier: Apache-2.0
// Checks of the order of GPU computation and collectives, and of their measured times.
#pragma once

#include "trainer/comm/communicator.hpp"

namespace dlscale::test {

/// **Collective.** Checks that a collective waits for the GPU work that was submitted before it,
/// and that computation after the wait uses the result of the collective. Throws std::runtime_error
/// that names the failed check.
void check_gpu_queue(trainer::Communicator& ranks, int gpu);

/// Checks that tensors of a GPU pass through Horovod's fusion buffer and back with the right scale.
void check_gpu_fusion(int gpu);

/// Checks that the parts of a step last as long as the GPU works on them, while the CPU does not
/// wait.
void check_gpu_times(int gpu);

}  // namespace dlscale::test
