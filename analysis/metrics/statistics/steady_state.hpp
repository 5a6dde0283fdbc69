// SPDX-License-Identifier: Apache-2.0
// Where the warm-up of a run ends.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace dlscale::analysis {

struct SteadyRule {
  std::size_t windows = 5;  ///< that must agree, at least 2
  double variation = 0.02;  ///< standard deviation / mean below which they do
};

/// The first step window from which on `rule.windows` in a row agree (Georges, Buytaert and
/// Eeckhout, OOPSLA 2007): what lies before it is warm-up. Empty where a run never gets steady.
std::optional<std::size_t> steady_from(const std::vector<double>& step_times,
                                       const SteadyRule& rule = {});

}  // namespace dlscale::analysis
