// SPDX-License-Identifier: Apache-2.0
#include "analysis/scaling/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kSmallestCommon = "smallest-common";
constexpr const char* kPerCurve = "per-curve";
constexpr const char* kGpusRule = "gpus";

std::set<int> gpu_counts(const ScalingCurve& curve) {
  std::set<int> counts;
  for (const CurvePoint& point : curve.points) counts.insert(point.gpus);
  return counts;
}

BaselineChoice at(const ScalingCurve& curve, int gpus, const std::string& name) {
  for (const CurvePoint& point : curve.points) {
    if (point.gpus == gpus) return {Baseline(point), ""};
  }
  return {std::nullopt,
          fmt::format("no completed run at the baseline gpus={} for {} (it has gpus={})", gpus,
                      name, fmt::join(gpu_counts(curve), ", "))};
}

}  // namespace

int smallest_common_gpus(const std::vector<ScalingCurve>& curves) {
  if (curves.empty()) return 0;
  std::set<int> shared = gpu_counts(curves.front());
  for (const ScalingCurve& curve : curves) {
    const std::set<int> own = gpu_counts(curve);
    std::erase_if(shared, [&](int gpus) { return !own.contains(gpus); });
  }
  return shared.empty() ? 0 : *shared.begin();
}

std::string Baseline::label(const std::string& worker) const {
  return fmt::format("{} ({})", count_of(gpus_, worker), count_of(nodes_, "node"));
}

std::vector<BaselineChoice> choose_baselines(const std::vector<ScalingCurve>& curves,
                                             const contract::BaselineRule& rule, bool allow_mixed) {
  const bool to_be_found = rule.rule == kSmallestCommon && rule.gpus == 0;
  const int common = to_be_found ? smallest_common_gpus(curves) : rule.gpus;
  std::vector<BaselineChoice> choices;
  const std::vector<std::string> axes = varying_axes(keys_of(curves));
  for (const ScalingCurve& curve : curves) {
    const std::string name = name_among(curve.key, axes);
    if (!curve.mixed.empty() && !allow_mixed) {
      choices.push_back(
          {std::nullopt,
           fmt::format("{}: not comparable, {} (--mixed compares anyway)", name, curve.mixed)});
    } else if (rule.rule == kPerCurve) {
      choices.push_back(at(curve, curve.first_gpus, name));
    } else if (common == 0) {
      choices.push_back(
          {std::nullopt, "the curves share no GPU count; choose --baseline per-curve or gpus=N"});
    } else {
      choices.push_back(at(curve, common, name));
    }
  }
  return choices;
}

void require_baseline(const std::vector<BaselineChoice>& choices) {
  const bool none = std::none_of(choices.begin(), choices.end(), [](const BaselineChoice& choice) {
    return choice.baseline.has_value();
  });
  if (none && !choices.empty()) throw base::UsageError(choices.front().problem);
}

contract::BaselineRule parse_baseline(std::string_view text) {
  if (text == kSmallestCommon || text == kPerCurve) return {std::string(text), 0};
  constexpr std::string_view kPrefix = "gpus=";
  if (text.starts_with(kPrefix)) {
    const std::string_view digits = text.substr(kPrefix.size());
    int gpus = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), gpus);
    if (error == std::errc() && stop == digits.data() + digits.size() && gpus > 0) {
      return {kGpusRule, gpus};
    }
  }
  throw base::UsageError(
      base::unknown_name("baseline", text, {kSmallestCommon, kPerCurve, "gpus=N"}));
}

}  // namespace dlscale::analysis
