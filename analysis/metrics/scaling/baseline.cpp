// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/baseline.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/metrics/scaling/verdict.hpp"
#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kSmallestCommon = "smallest-common";
constexpr const char* kPerCurve = "per-curve";
constexpr const char* kGpusRule = "gpus";
/// Conditions that must be equal in the baseline and the curve, even if the user chose the baseline
/// by the value of such a condition.
constexpr std::string_view kAlwaysAlike[] = {
    "cores_per_rank", "cpu", "dataset", "device", "gpu", "precision", "stop_rule"};

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
          fmt::format("no completed run at the baseline gpus={} for {} (this curve has gpus={})",
                      gpus, name, fmt::join(gpu_counts(curve), ", "))};
}

/// Axes that name the device of a curve.
constexpr std::string_view kDeviceAxes[] = {"cpu", "device", "gpu"};

bool names_device(const AxisValue& entry) {
  return std::ranges::find(kDeviceAxes, entry.axis) != std::end(kDeviceAxes);
}

CurveKey without_device(CurveKey key) {
  std::erase_if(key, &names_device);
  return key;
}

/// Curves grouped so that the curves of a group differ only in their device. The map's key is the
/// text of the curve's key without its device. The map is empty if no curve names a device.
using DeviceTwins = std::map<std::string, std::vector<const ScalingCurve*>>;

DeviceTwins device_twins(const std::vector<ScalingCurve>& curves) {
  const auto is_of_device = [](const ScalingCurve& curve) {
    return std::ranges::any_of(curve.key, &names_device);
  };
  DeviceTwins twins;
  if (std::ranges::none_of(curves, is_of_device)) return twins;
  for (const ScalingCurve& curve : curves) {
    twins[to_string(without_device(curve.key))].push_back(&curve);
  }
  return twins;
}

/// Returns the smallest GPU count that all groups of curves have. Curves that differ only in their
/// device count as one curve. Returns 0 without curves.
int smallest_common_of_devices(const DeviceTwins& twins) {
  std::vector<ScalingCurve> joined;
  for (const auto& [key, curves] : twins) {
    std::vector<CurvePoint>& points = joined.emplace_back().points;
    for (const ScalingCurve* curve : curves) {
      points.insert(points.end(), curve->points.begin(), curve->points.end());
    }
  }
  return smallest_common_gpus(joined);
}

/// Returns a curve that differs from `curve` only in its device and has a point at `gpus` GPUs, or
/// null.
const ScalingCurve* on_other_device(const DeviceTwins& twins, const ScalingCurve& curve, int gpus) {
  const auto alike = twins.find(to_string(without_device(curve.key)));
  if (alike == twins.end()) return nullptr;
  for (const ScalingCurve* other : alike->second) {
    if (other != &curve && gpu_counts(*other).contains(gpus)) return other;
  }
  return nullptr;
}

/// Returns the point of `curve` at `gpus` GPUs as the baseline. If only a curve on another device
/// has this GPU count, the result depends on `allow_mixed`: true makes that curve's point the
/// baseline, false gives no baseline and names the device as the reason.
BaselineChoice at_count(const DeviceTwins& twins, const ScalingCurve& curve, int gpus,
                        const std::string& name, bool allow_mixed) {
  BaselineChoice own = at(curve, gpus, name);
  const ScalingCurve* other = own.baseline ? nullptr : on_other_device(twins, curve, gpus);
  if (other == nullptr) return own;
  CurveKey devices;
  std::string mixed;
  for (const AxisValue& entry : other->key) {
    const std::string here = value_of(curve.key, entry.axis);
    if (!names_device(entry) || entry.value == here) continue;
    devices.push_back(entry);
    if (!mixed.empty()) mixed += ", ";
    mixed += fmt::format("{} is \"{}\" at gpus={} but \"{}\" at gpus={}", entry.axis, entry.value,
                         gpus, here, fmt::join(gpu_counts(curve), ", "));
  }
  if (!allow_mixed) {
    return {
        std::nullopt,
        fmt::format(
            "the baseline of {} is on another device, because {} (use --mixed to compare anyway)",
            name, mixed)};
  }
  const auto point = std::ranges::find(other->points, gpus, &CurvePoint::gpus);
  return {Baseline(*point, to_string(devices), false), "", mixed};
}

/// Returns `key` after setting each axis that `values` contains to its value in `values`.
CurveKey with_values(CurveKey key, const CurveKey& values) {
  for (const AxisValue& chosen : values) {
    std::erase_if(key, [&](const AxisValue& entry) { return entry.axis == chosen.axis; });
    key.push_back(chosen);
  }
  return key;
}

bool holds_all(const CurveKey& key, const CurveKey& values) {
  return std::all_of(values.begin(), values.end(), [&](const AxisValue& entry) {
    return value_of(key, entry.axis) == entry.value;
  });
}

/// Returns a sentence on the first condition in which the baseline `reference` differs from the
/// points of `curve`, or an empty text if there is no difference. A condition in `chosen`, by which
/// the user chose the baseline, may differ unless it is in kAlwaysAlike. If the user chose the
/// baseline by the axis `source`, the software of the plan folders may differ, too.
std::string unlike_baseline(const CurvePoint& reference, const ScalingCurve& curve,
                            const CurveKey& chosen) {
  const bool chose_source = !value_of(chosen, kSource).empty();
  const auto may_differ = [&](const std::string& name, bool of_other_source) {
    if (std::ranges::find(kAlwaysAlike, name) != std::end(kAlwaysAlike)) return false;
    return !value_of(chosen, name).empty() || (of_other_source && describes_source(name));
  };
  for (const RunRow* run : reference.repeats) {
    for (const auto& [name, value] : run->conditions) {
      for (const CurvePoint& point : curve.points) {
        const RunRow& other = *point.repeats.front();
        const auto found = other.conditions.find(name);
        if (found == other.conditions.end() || found->second == value) continue;
        if (may_differ(name, chose_source && are_of_different_sources(*run, other))) continue;
        const auto [shown, other_shown] = shown_values(name, *run, other);
        return fmt::format("{} is \"{}\" in the baseline but \"{}\" at gpus={}", name, shown,
                           other_shown, point.gpus);
      }
    }
  }
  return "";
}

bool same_work(const CurveKey& a, const CurveKey& b) {
  return std::all_of(a.begin(), a.end(), [&](const AxisValue& entry) {
    return !changes_work(entry.axis) || value_of(b, entry.axis) == entry.value;
  });
}

/// Returns the reason why no curve has the `chosen` values on their axes and the values of `key` on
/// all other axes.
std::string nothing_alike(const std::vector<ScalingCurve>& curves, const CurveKey& chosen,
                          const CurveKey& key) {
  const std::vector<CurveKey> keys = keys_of(curves);
  for (const AxisValue& entry : chosen) {
    std::vector<std::string> known;
    if (!keys.empty()) {
      for (const AxisValue& axis : keys.front()) known.push_back(axis.axis);
    }
    const bool is_axis = std::any_of(keys.begin(), keys.end(), [&](const CurveKey& other) {
      return !value_of(other, entry.axis).empty();
    });
    if (!is_axis) return "the baseline: " + base::unknown_name("axis", entry.axis, known);
  }
  bool any = false;
  for (const CurveKey& other : keys) {
    if (!holds_all(other, chosen)) continue;
    any = true;
    if (!same_work(key, other)) continue;
    return fmt::format(
        "no completed run with the baseline's {} has the other axis values of {} (closest: {}; if "
        "further axes may differ, name them in the baseline, too)",
        to_string(chosen), to_string(key), to_string(other));
  }
  if (any) {
    return fmt::format("no completed run with the baseline's {} does the same work as {}",
                       to_string(chosen), to_string(key));
  }
  return fmt::format("the compared runs contain no completed run with the baseline's {}",
                     to_string(chosen));
}

/// Returns the baseline of `curve` for a rule of axis values, such as
/// "framework=synchronous,gpus=1".
BaselineChoice among_curves(const std::vector<ScalingCurve>& curves, const ScalingCurve& curve,
                            const contract::BaselineRule& rule, bool allow_mixed) {
  const CurveKey chosen = chosen_values(rule);
  const CurveKey wanted = with_values(curve.key, chosen);
  const std::string name = to_string(curve.key);
  for (const ScalingCurve& other : curves) {
    if (!holds_all(wanted, other.key) || !holds_all(other.key, wanted)) continue;
    const auto point = std::ranges::find(other.points, rule.gpus, &CurvePoint::gpus);
    if (point == other.points.end()) return at(other, rule.gpus, to_string(other.key));
    const std::string mixed = unlike_baseline(*point, curve, chosen);
    if (!mixed.empty() && !allow_mixed) {
      return {
          std::nullopt,
          fmt::format(
              "{} is not comparable with the baseline, because {} (use --mixed to compare anyway)",
              name, mixed)};
    }
    return {Baseline(*point, to_string(chosen), &other == &curve), "", mixed};
  }
  return {std::nullopt, nothing_alike(curves, chosen, curve.key)};
}

/// Returns the number that `digits` contains if it is positive. Returns 0 for any other text.
int gpu_count(std::string_view digits) {
  return std::max(base::number_of<int>(digits).value_or(0), 0);
}

[[noreturn]] void fail_on_rule(std::string_view text) {
  throw base::UsageError(
      base::unknown_name("baseline", text, {kSmallestCommon, kPerCurve, "gpus=N", "AXIS=VALUE"}));
}

/// Parses a text such as "a=b,c=d" into axis values. A part without "=", or with nothing before or
/// after "=", gives an empty axis or an empty value.
CurveKey values_in(std::string_view text) {
  CurveKey values;
  for (const std::string_view part : base::split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    values.push_back({std::string(part.substr(0, equals)),
                      std::string(part.substr(std::min(equals + 1, part.size())))});
  }
  return values;
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
  const std::string where =
      fmt::format("{} ({})", base::count_of(gpus_, worker), base::count_of(nodes_, "node"));
  return chosen_.empty() ? where : fmt::format("{} with {}", where, chosen_);
}

std::vector<BaselineChoice> choose_baselines(const std::vector<ScalingCurve>& curves,
                                             const contract::BaselineRule& rule, bool allow_mixed) {
  const bool to_be_found = rule.rule == kSmallestCommon && rule.gpus == 0;
  int common = to_be_found ? smallest_common_gpus(curves) : rule.gpus;
  const DeviceTwins twins = device_twins(curves);
  if (common == 0) common = smallest_common_of_devices(twins);
  std::vector<BaselineChoice> choices;
  const std::vector<std::string> axes = varying_axes(keys_of(curves));
  for (const ScalingCurve& curve : curves) {
    const std::string name = name_among(curve.key, axes);
    if (!curve.mixed.empty() && !allow_mixed) {
      const bool is_code = curve.mixed_condition == kCode;
      choices.push_back(
          {std::nullopt,
           fmt::format("{} is not comparable, because {} ({}use --mixed to compare anyway)", name,
                       curve.mixed,
                       is_code ? "dlscale status names the command that repeats the runs of other "
                                 "code; "
                               : "")});
    } else if (!chosen_values(rule).empty()) {
      choices.push_back(among_curves(curves, curve, rule, allow_mixed));
    } else if (rule.rule == kPerCurve) {
      choices.push_back(at(curve, curve.first_gpus, name));
    } else if (common == 0) {
      choices.push_back(
          {std::nullopt,
           "the curves have no common GPU count; choose --baseline per-curve or gpus=N"});
    } else {
      choices.push_back(at_count(twins, curve, common, name, allow_mixed));
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

CurveKey chosen_values(const contract::BaselineRule& rule) {
  if (rule.rule.find('=') == std::string::npos) return {};
  return values_in(rule.rule);
}

contract::BaselineRule parse_baseline(std::string_view text) {
  if (text == kSmallestCommon || text == kPerCurve) return {std::string(text), 0};
  contract::BaselineRule rule{"", 0};
  std::set<std::string> named;
  for (const auto& [axis, value] : values_in(text)) {
    if (axis.empty() || value.empty()) fail_on_rule(text);
    if (!named.insert(axis).second) {
      throw base::UsageError(fmt::format("baseline {}: {} is given twice", text, axis));
    }
    if (changes_work(axis)) {
      throw base::UsageError(
          fmt::format("baseline {}: runs with another {} do different work; choose an axis that "
                      "keeps the work, such as framework or loader",
                      text, axis));
    }
    if (axis == kGpusRule) {
      rule.gpus = gpu_count(value);
      if (rule.gpus == 0) fail_on_rule(text);
      continue;
    }
    rule.rule += fmt::format("{}{}={}", rule.rule.empty() ? "" : ",", axis, value);
  }
  if (rule.rule.empty()) return {kGpusRule, rule.gpus};
  return {rule.rule, std::max(rule.gpus, 1)};
}

}  // namespace dlscale::analysis
