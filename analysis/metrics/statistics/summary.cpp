// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/error.hpp"

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

namespace {

void require_values(const std::vector<double>& values) {
  if (values.empty()) throw base::RunError("no values to summarise");
}

}  // namespace

double mean(const std::vector<double>& values) {
  require_values(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

double quantile(std::vector<double> values, double q) {
  require_values(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::ptrdiff_t>(std::floor(position));
  const auto lower = values.begin() + below;
  std::nth_element(values.begin(), lower, values.end());
  if (lower + 1 == values.end()) return *lower;
  const double weight = position - static_cast<double>(below);
  return *lower + weight * (*std::min_element(lower + 1, values.end()) - *lower);
}

double standard_deviation(const std::vector<double>& values) {
  const double center = mean(values);
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::vector<double> logs_of(const std::vector<double>& values) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

}  // namespace dlscale::analysis
