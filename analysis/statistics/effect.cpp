// SPDX-License-Identifier: Apache-2.0
#include "analysis/statistics/effect.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/distributions.hpp"
#include "analysis/statistics/rank_tests.hpp"
#include "analysis/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kPower = 0.8;

std::vector<double> sorted_ratios(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> ratios;
  ratios.reserve(a.size() * b.size());
  for (const double x : a) {
    for (const double y : b) ratios.push_back(x / y);
  }
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

}  // namespace

Estimate hodges_lehmann_ratio(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> ratios = sorted_ratios(a, b);
  Estimate estimate{median(ratios), {}, std::min(a.size(), b.size())};
  if (ratios.size() < 2) return estimate;
  const std::size_t c = shift_rank(a.size(), b.size(), 0.025);
  if (c == 0) {
    estimate.interval = {Interval::Kind::Range, ratios.front(), ratios.back()};
  } else {
    estimate.interval = {Interval::Kind::Confidence95, ratios[c - 1], ratios[ratios.size() - c]};
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
