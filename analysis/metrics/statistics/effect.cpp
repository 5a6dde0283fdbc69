// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/effect.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <utility>

#include "analysis/metrics/statistics/interval.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return p[i] < p[j]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    largest = std::max(largest, static_cast<double>(p.size() - k) * p[order[k]]);
    adjusted[order[k]] = std::min(1.0, largest);
  }
  return adjusted;
}

namespace {

constexpr double kMostDivisions = 200000;
constexpr int kShuffles = 9999;
constexpr std::uint64_t kPermutationSeed = 3;

/// Counter of all ways to divide the values into two samples of the given sizes. It counts how
/// often the sum of the first sample is at least as far from 0 as the observed sum. The values are
/// centred, so the mean of these sums is 0. The observed sum is reduced by 1e-12 of its value, so
/// that rounding errors cannot make equal sums differ.
class Divisions {
 public:
  Divisions(std::vector<double> centred, std::size_t chosen)
      : values_(std::move(centred)), chosen_(chosen) {
    const auto end = values_.begin() + static_cast<std::ptrdiff_t>(chosen);
    observed_ = std::abs(std::accumulate(values_.begin(), end, 0.0)) * (1 - 1e-12);
  }

  double exact_p() {
    count_from(0, chosen_, 0);
    return extreme_ / all_;
  }

  double sampled_p() {
    std::mt19937_64 engine(kPermutationSeed);
    for (int i = 0; i < kShuffles; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < chosen_; ++k) {
        std::swap(values_[k], values_[k + engine() % (values_.size() - k)]);
        sum += values_[k];
      }
      count(sum);
    }
    return (extreme_ + 1) / (all_ + 1);
  }

 private:
  void count(double sum) {
    ++all_;
    if (std::abs(sum) >= observed_) ++extreme_;
  }

  void count_from(std::size_t first, std::size_t left, double sum) {
    if (left == 0) return count(sum);
    for (std::size_t i = first; i + left <= values_.size(); ++i) {
      count_from(i + 1, left - 1, sum + values_[i]);
    }
  }

  std::vector<double> values_;
  std::size_t chosen_;
  double observed_ = 0;
  double extreme_ = 0;
  double all_ = 0;
};

}  // namespace

TestResult permutation_test_of_logs(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> logs = logs_of(a);
  const std::vector<double> others = logs_of(b);
  logs.insert(logs.end(), others.begin(), others.end());
  const double center = mean(logs);
  for (double& value : logs) value -= center;
  const bool exact = 2 / smallest_p(a.size(), b.size()) <= kMostDivisions;
  Divisions divisions(std::move(logs), a.size());
  return {exact ? divisions.exact_p() : divisions.sampled_p(), exact};
}

namespace {

constexpr double kPower = 0.8;

/// Returns operation(a_i, b_j) for all pairs of values, in ascending order.
template <class Operation>
std::vector<double> sorted_pairs(const std::vector<double>& a, const std::vector<double>& b,
                                 Operation operation) {
  std::vector<double> results;
  results.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) results.push_back(operation(x, y));
  }
  std::sort(results.begin(), results.end());
  return results;
}

std::vector<double> sorted_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  return sorted_pairs(a, b, std::divides<>());
}

/// Returns the median of the sorted results of all pairs of values of two samples, with Moses'
/// interval, or with the range of the results if the samples are too small for this interval.
Estimate estimate_of_pairs(const std::vector<double>& sorted, std::size_t n_a, std::size_t n_b) {
  Estimate estimate{median(sorted), {}, std::min(n_a, n_b)};
  if (sorted.size() < 2) return estimate;
  const std::size_t c = shift_rank(n_a, n_b, 0.025);
  if (c == 0) {
    estimate.interval = {Interval::Kind::Range, sorted.front(), sorted.back()};
  } else {
    estimate.interval = {Interval::Kind::Confidence95, sorted[c - 1], sorted[sorted.size() - c]};
  }
  return estimate;
}

/// Returns the largest c with P(W < c) <= tail, where W is Wilcoxon's sum of signed ranks of n
/// values. The c-th smallest and the c-th largest of the means of all pairs of values form an
/// interval for the centre. Returns 0 if there is no such interval, because even W = 0 is more
/// likely than `tail`.
std::size_t signed_rank(std::size_t n, double tail) {
  const auto size = static_cast<double>(n);
  if (n > kMostForExact) {
    const double mean = size * (size + 1) / 4;
    const double c = mean + normal_quantile(tail) * std::sqrt(mean * (2 * size + 1) / 6);
    return c < 1 ? 0 : static_cast<std::size_t>(c);
  }
  // Probability of each sum of the ranks so far.
  std::vector<double> chances(n * (n + 1) / 2 + 1, 0.0);
  chances[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t sum = chances.size(); sum-- > 0;) {
      chances[sum] = (chances[sum] + (sum >= rank ? chances[sum - rank] : 0)) / 2;
    }
  }
  double below = 0;
  std::size_t c = 0;
  while (c < chances.size() && (below += chances[c]) <= tail) ++c;
  return c;
}

}  // namespace

Estimate hodges_lehmann_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  return estimate_of_pairs(sorted_ratios(a, b), a.size(), b.size());
}

Estimate hodges_lehmann_difference(const std::vector<double>& a, const std::vector<double>& b) {
  return estimate_of_pairs(sorted_pairs(a, b, std::minus<>()), a.size(), b.size());
}

Estimate hodges_lehmann_center(const std::vector<double>& values) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  std::sort(means.begin(), means.end());
  Estimate estimate{median(means), {}, values.size()};
  if (values.size() < 2) return estimate;
  const std::size_t c = signed_rank(values.size(), 0.025);
  if (c == 0) {
    estimate.interval = {Interval::Kind::Range, means.front(), means.back()};
  } else {
    estimate.interval = {Interval::Kind::Confidence95, means[c - 1], means[means.size() - c]};
  }
  return estimate;
}

double cliffs_delta(const std::vector<double>& a, const std::vector<double>& b) {
  double larger = 0;
  for (const double x : a) {
    for (const double y : b) larger += (x > y) - (x < y);
  }
  return larger / static_cast<double>(a.size() * b.size());
}

std::optional<double> detectable_ratio(const std::vector<double>& a, const std::vector<double>& b,
                                       double alpha) {
  const std::size_t c = shift_rank(a.size(), b.size(), alpha / 2);
  if (c == 0) return std::nullopt;
  const std::vector<double> ratios = sorted_ratios(a, b);
  const double half = std::log(ratios[ratios.size() - c] / ratios[c - 1]) / 2;
  const double sure = normal_quantile(1 - alpha / 2);
  return std::exp(half * (sure + normal_quantile(kPower)) / sure);
}

}  // namespace dlscale::analysis
