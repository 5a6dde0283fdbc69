// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/normality.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kCritical = 0.752;  // at 5 %

double log_normal_cdf(double z) {
  return std::log(std::max(0.5 * std::erfc(-z / std::sqrt(2.0)), 1e-300));
}

}  // namespace

std::optional<bool> looks_normal(const std::vector<double>& values) {
  if (values.size() < kFewestForNormality) return std::nullopt;
  const double spread = standard_deviation(values);
  if (spread <= 0) return std::nullopt;
  const double center = mean(values);
  std::vector<double> z;
  for (const double value : values) z.push_back((value - center) / spread);
  std::sort(z.begin(), z.end());
  const auto n = static_cast<double>(z.size());
  double sum = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double weight = 2 * static_cast<double>(i) + 1;
    sum += weight * (log_normal_cdf(z[i]) + log_normal_cdf(-z[z.size() - 1 - i]));
  }
  const double squared = -n - sum / n;
  return squared * (1 + 0.75 / n + 2.25 / (n * n)) < kCritical;
}

}  // namespace dlscale::analysis
