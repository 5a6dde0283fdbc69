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
  /// Limits of the 95 % confidence interval of the median, by order statistics. Both limits are 0
  /// when there are fewer than 6 values.
  double low_s = 0;
  double high_s = 0;
  double least_s = 0;
  double most_s = 0;
  double mean_s = 0;
  double deviation_s = 0;  ///< sample standard deviation, 0 for a single value
  int values = 0;
};

/// Returns the statistics of `seconds`. The list must contain at least one value.
Timing timing_of(std::vector<double> seconds);

// Measurement of kernel times.

struct KernelTiming {
  Timing each;    ///< statistics of the time per call over all blocks
  int calls = 1;  ///< number of calls in a block
};

/// Measures the time of a kernel. After two unmeasured calls, the function measures blocks of
/// calls. A block consists of enough calls to last about one millisecond. As in training, there is
/// no wait for the device between the calls of a block. If `repetitions` is 0, the function
/// measures at least five blocks and continues until `seconds` have passed. Otherwise each block is
/// one call, and the function measures `repetitions` calls.
KernelTiming time_kernel(const KernelCall& call, Device& device, double seconds, int repetitions,
                         const base::Clock& clock);

}  // namespace dlscale::trainer
