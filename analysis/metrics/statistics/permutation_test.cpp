// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/permutation_test.hpp"

#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kMostDivisions = 200000;
constexpr int kShuffles = 9999;
constexpr std::uint64_t kPermutationSeed = 3;

/// Sums of one sample that are as far from their mean as the one seen. With the values around 0
/// that mean is 0; what rounding does to equal sums is far below the tolerance.
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

}  // namespace dlscale::analysis
