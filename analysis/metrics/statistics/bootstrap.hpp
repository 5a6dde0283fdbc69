// SPDX-License-Identifier: Apache-2.0
// The percentile bootstrap of a median, of all resamples there are instead of some that are drawn.
#pragma once

#include <vector>

#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// From the smallest median of resamples (as many values, with replacement) that at least 2.5 % of
/// them do not exceed, to that of 97.5 % (Efron, 1979): how others often give an interval of a
/// median. It covers less than it says (docs/statistics.md), so that nothing is decided by it.
/// Nothing below kFewestForInterval values.
Interval bootstrap_interval_of_median(const std::vector<double>& values);

}  // namespace dlscale::analysis
