// SPDX-License-Identifier: Apache-2.0
// Statistics of repeated time measurements, and measurement of kernel times.
#pragma once

#include <vector>

#include "base/clock.hpp"
#include "trainer/bench/kernel_calls.hpp"

namespace dlscale::trainer {

// Statistics of repeated time measurements.

struct Timing {
  double median_s = 0;
  double low_s = 0;  ///< start of the median's 95 % interval, by order statistics, 0 below 6 values
  double high_s = 0;
  double least_s = 0;
  double most_s = 0;
  double mean_s = 0;
  double deviation_s = 0;  ///< standard deviation of the sample, 0 for one value
  int values = 0;
};

/// Returns the statistics of `seconds`, which must not be empty.
Timing timing_of(std::vector<double> seconds);

// Measurement of kernel times.

struct KernelTiming {
  Timing each;    ///< time of one call, over blocks
  int calls = 1;  ///< number of calls in a block
};

/// Measures a kernel. After two uncounted calls, measures blocks of calls. A block takes at least a
/// millisecond and does not wait between calls, like in training. Measures at least five blocks,
/// and continues until `seconds` have passed.
KernelTiming time_kernel(const KernelCall& call, Device& device, double seconds,
                         const base::Clock& clock);

}  // namespace dlscale::trainer
