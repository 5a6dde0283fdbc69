// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>

#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

constexpr int kResamples = 4000;
// Fixed, so that the same measurements always give the same interval.
constexpr std::uint64_t kNumeratorSeed = 1;
constexpr std::uint64_t kDenominatorSeed = 2;

void require_values(const std::vector<double>& values) {
  if (values.empty()) throw base::RunError("no values to summarise");
}

/// Medians of resamples, drawn with replacement, each of as many values as there are.
class Resampler {
 public:
  Resampler(const std::vector<double>& values, std::uint64_t seed)
      : values_(values), drawn_(values.size()), engine_(seed) {}

  double next_median() {
    // The standard's distributions differ between libraries; a remainder does not, and its bias
    // (n / 2^64) is nothing.
    for (double& value : drawn_) value = values_[engine_() % values_.size()];
    return median(drawn_);
  }

 private:
  const std::vector<double>& values_;
  std::vector<double> drawn_;
  std::mt19937_64 engine_;
};

Interval percentile_interval(const std::vector<double>& statistics) {
  return {Interval::Kind::Bootstrap95, quantile(statistics, 0.025), quantile(statistics, 0.975)};
}

}  // namespace

double mean(const std::vector<double>& values) {
  require_values(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median(const std::vector<double>& values) {
  return quantile(values, 0.5);
}

double quantile(const std::vector<double>& values, double q) {
  require_values(values);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = position - static_cast<double>(below);
  return sorted[below] + weight * (sorted[above] - sorted[below]);
}

double standard_deviation(const std::vector<double>& values) {
  const double center = mean(values);
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - center) * (value - center);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

Interval interval_of_median(const std::vector<double>& values) {
  require_values(values);
  if (values.size() < 2) return {};
  if (values.size() < kFewestForInterval) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return {Interval::Kind::Range, *low, *high};
  }
  Resampler resampler(values, kNumeratorSeed);
  std::vector<double> medians(kResamples);
  for (double& value : medians) value = resampler.next_median();
  return percentile_interval(medians);
}

Interval interval_of_ratio(const std::vector<double>& numerators,
                           const std::vector<double>& denominators) {
  require_values(numerators);
  require_values(denominators);
  if (numerators.size() < 2 && denominators.size() < 2) return {};
  if (std::min(numerators.size(), denominators.size()) < kFewestForInterval) {
    const auto [least, most] = std::minmax_element(numerators.begin(), numerators.end());
    const auto [fewest, greatest] = std::minmax_element(denominators.begin(), denominators.end());
    return {Interval::Kind::Range, *least / *greatest, *most / *fewest};
  }
  Resampler above(numerators, kNumeratorSeed);
  Resampler below(denominators, kDenominatorSeed);
  std::vector<double> ratios(kResamples);
  for (double& ratio : ratios) {
    const double numerator = above.next_median();
    ratio = numerator / below.next_median();
  }
  return percentile_interval(ratios);
}

}  // namespace dlscale::analysis
