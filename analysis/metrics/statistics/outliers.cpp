// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/outliers.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "analysis/metrics/statistics/summary.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kCritical = 0.752;  // critical value of Anderson and Darling's statistic at 5 %

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

namespace {

constexpr OutlierPolicy kPolicies[] = {OutlierPolicy::None, OutlierPolicy::Mad,
                                       OutlierPolicy::Olympic, OutlierPolicy::DropFirst};

}  // namespace

const char* to_string(OutlierPolicy policy) {
  switch (policy) {
    case OutlierPolicy::None:
      return "none";
    case OutlierPolicy::Mad:
      return "mad";
    case OutlierPolicy::Olympic:
      return "olympic";
    case OutlierPolicy::DropFirst:
      return "drop-first";
  }
  return "";
}

OutlierPolicy parse_outlier_policy(std::string_view text) {
  std::vector<std::string> known;
  for (const OutlierPolicy policy : kPolicies) {
    if (text == to_string(policy)) return policy;
    known.emplace_back(to_string(policy));
  }
  throw base::UsageError(base::unknown_name("outlier policy", text, known));
}

std::vector<double> modified_z(const std::vector<double>& values) {
  if (values.empty()) return {};
  const double center = median(values);
  std::vector<double> off;
  for (const double value : values) off.push_back(std::abs(value - center));
  const double mad = median(off);
  const double unit = mad > 0 ? mad / 0.6745 : 1.2533 * mean(off);
  std::vector<double> z;
  for (const double value : values) z.push_back(unit > 0 ? (value - center) / unit : 0);
  return z;
}

std::vector<std::size_t> left_out(const std::vector<double>& values, OutlierPolicy policy) {
  std::vector<std::size_t> out;
  if (policy == OutlierPolicy::Mad) {
    const std::vector<double> z = modified_z(values);
    for (std::size_t i = 0; i < z.size(); ++i) {
      if (std::abs(z[i]) > kOutlyingZ) out.push_back(i);
    }
  } else if (policy == OutlierPolicy::Olympic && values.size() >= 3) {
    const auto [fastest, slowest] = std::minmax_element(values.begin(), values.end());
    out = {static_cast<std::size_t>(fastest - values.begin()),
           static_cast<std::size_t>(slowest - values.begin())};
    std::sort(out.begin(), out.end());
  } else if (policy == OutlierPolicy::DropFirst && values.size() >= 2) {
    out = {0};
  }
  return out;
}

}  // namespace dlscale::analysis
