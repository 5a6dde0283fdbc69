// SPDX-License-Identifier: Apache-2.0
// Runs the kernels of trainer/kernels/cuda/ on a processor: the same block functions, the threads
// of a block one after another.
#pragma once

#include <memory>

#include "trainer/kernels/cuda/launches.hpp"

namespace dlscale::test {

/// `blocks`: number of blocks that "keep the device busy"; a few make several chunks of small
/// matrices.
std::unique_ptr<trainer::kernel::Launches> make_host_launches(int blocks);

}  // namespace dlscale::test
