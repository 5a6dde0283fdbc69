// SPDX-License-Identifier: Apache-2.0
// Many times of the same thing, summed up; and how long a kernel takes.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "trainer/bench/kernel_calls.hpp"

namespace dlscale::trainer {

// Many times of the same thing, summed up.

struct Timing {
  double median_s = 0;
  double low_s = 0;  ///< 95 % interval of the median, by order statistics; 0, 0 below 6 values
  double high_s = 0;
  double least_s = 0;
  double most_s = 0;
  double mean_s = 0;
  double deviation_s = 0;  ///< of the sample; 0 of one value
  int values = 0;
};

/// `seconds` must not be empty.
Timing timing_of(std::vector<double> seconds);

// How long a kernel takes.

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
