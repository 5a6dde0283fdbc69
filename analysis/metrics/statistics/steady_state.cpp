// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/steady_state.hpp"

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

std::optional<std::size_t> steady_from(const std::vector<double>& step_times,
                                       const SteadyRule& rule) {
  for (std::size_t first = 0; first + rule.windows <= step_times.size(); ++first) {
    const auto begin = step_times.begin() + static_cast<std::ptrdiff_t>(first);
    const std::vector<double> windows(begin, begin + static_cast<std::ptrdiff_t>(rule.windows));
    if (standard_deviation(windows) < rule.variation * mean(windows)) return first;
  }
  return std::nullopt;
}

}  // namespace dlscale::analysis
