// SPDX-License-Identifier: Apache-2.0
// How long a kernel takes.
#pragma once

#include "base/clock.hpp"
#include "trainer/bench/kernel_calls.hpp"
#include "trainer/bench/timing.hpp"

namespace dlscale::trainer {

struct KernelTiming {
  Timing each;    ///< of one call, over blocks
  int calls = 1;  ///< in a block
};

/// Two calls that do not count, then blocks of calls that take a millisecond or more, as devices
/// get them in training: without waiting between. At least five blocks, and more until `seconds`
/// are over.
KernelTiming time_kernel(const KernelCall& call, Device& device, double seconds,
                         const base::Clock& clock);

}  // namespace dlscale::trainer
