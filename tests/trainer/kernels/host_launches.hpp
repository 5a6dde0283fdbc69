// SPDX-License-Identifier: Apache-2.0
// Launches of the kernels in trainer/kernels/cuda/ on a CPU. They use the same block functions and
// run the threads of a block one after another.
#pragma once

#include <memory>

#include "trainer/kernels/cuda/launches.hpp"

namespace dlscale::test {

/// Returns launches on a CPU. `blocks` is the number of blocks that "keep the device busy". A few
/// blocks suffice to split small matrices into several chunks.
std::unique_ptr<trainer::kernel::Launches> make_host_launches(int blocks);

}  // namespace dlscale::test
