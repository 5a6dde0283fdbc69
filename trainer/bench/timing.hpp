// SPDX-License-Identifier: Apache-2.0
// Many times of the same thing, summed up.
#pragma once

#include <vector>

namespace dlscale::trainer {

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

}  // namespace dlscale::trainer
