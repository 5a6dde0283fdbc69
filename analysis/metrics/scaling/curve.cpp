// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kAccumulation = "accumulation_steps";

/// Last words of names of axes that have another meaning, or none, without the words before them.
/// Examples are optimizer.kind and target.accuracy.
constexpr std::string_view kUnclearAlone[] = {
    kGpus,  kNodes, kBatchPerGpu, kGlobalBatch, "accuracy", "base",       "bleu",
    "kind", "loss", "path",       "scale",      "stop",     "train_loss", "weights"};

const contract::Axis* find_axis(const Frame& frame, const std::string& name) {
  const auto found = std::find_if(frame.axes.begin(), frame.axes.end(),
                                  [&](const contract::Axis& axis) { return axis.name == name; });
  return found == frame.axes.end() ? nullptr : &*found;
}

bool belongs_to_key(const std::string& axis, bool with_nodes) {
  return axis != kGpus && !is_batch(axis) && (with_nodes || axis != kNodes);
}

/// Returns the run's value of `axis`, or an empty text if the run's point does not contain this
/// axis.
std::string said_of(const RunRow& run, const char* axis) {
  const auto found = run.point.find(axis);
  return found == run.point.end() ? "" : found->second;
}

bool names_batch(const RunRow& run) {
  return run.point.contains(kGlobalBatch) || run.point.contains(kBatchPerGpu);
}

/// Returns the number of samples that a GPU processes at once, as text. With gradient accumulation,
/// this is the GPU's share of the global batch divided by the number of accumulated passes. Returns
/// an empty text if the batch is unknown.
std::string samples_of_gpu(const RunRow& run) {
  if (run.batch_per_gpu > 0) return std::to_string(run.batch_per_gpu);
  if (run.global_batch <= 0) return "";
  const int accumulated = base::leading_number(said_of(run, kAccumulation), 1);
  const double shares = double(run.gpus) * std::max(accumulated, 1);
  return fmt::format("{:.7g}", static_cast<double>(run.global_batch) / shares);
}

/// Returns the sort position of a value on its axis. An axis does not list the values of single
/// points that a study includes in addition to its axes. These values come after the listed values,
/// and numbers among these values ascend.
std::size_t position(const contract::Axis* axis, const std::string& value) {
  if (axis != nullptr) {
    const auto found = std::find(axis->values.begin(), axis->values.end(), value);
    if (found != axis->values.end()) return static_cast<std::size_t>(found - axis->values.begin());
  }
  if (value.empty()) return std::numeric_limits<std::size_t>::max();  // unknown values come last
  return base::leading_number<std::size_t>(value) + (axis != nullptr ? axis->values.size() : 0);
}

/// Condition that differs between two runs.
struct Difference {
  std::string condition;  ///< name of the condition; empty: no condition differs
  std::string text;       ///< sentence on the condition
};

/// Returns the first condition that differs between two runs, among the conditions that both runs
/// record.
Difference condition_difference(const RunRow& a, const RunRow& b) {
  for (const auto& [name, value] : a.conditions) {
    const auto other = b.conditions.find(name);
    if (other != b.conditions.end() && other->second != value) {
      const auto [shown, other_shown] = shown_values(name, a, b);
      return {name, fmt::format("{} is \"{}\" at gpus={} but \"{}\" at gpus={}", name, shown,
                                a.gpus, other_shown, b.gpus)};
    }
  }
  return {};
}

/// Returns condition_difference(), or else a sentence on different numbers of nodes of two runs
/// with equal GPU counts.
Difference difference(const RunRow& a, const RunRow& b) {
  Difference found = condition_difference(a, b);
  if (found.condition.empty() && a.gpus == b.gpus && a.nodes != b.nodes) {
    found = {kNodes, fmt::format("some runs with gpus={} used {}, others used {}", a.gpus,
                                 base::count_of(a.nodes, "node"), base::count_of(b.nodes, "node"))};
  }
  return found;
}

Difference first_difference(const std::vector<CurvePoint>& points) {
  const RunRow& reference = *points.front().repeats.front();
  for (const CurvePoint& point : points) {
    for (const RunRow* run : point.repeats) {
      for (const RunRow* other : {&reference, point.repeats.front()}) {
        if (other == run) continue;
        Difference found = difference(*other, *run);
        if (!found.condition.empty()) return found;
      }
    }
  }
  return {};
}

ScalingCurve make_curve(CurveKey key, const std::map<int, std::vector<const RunRow*>>& by_gpus) {
  ScalingCurve curve{std::move(key), {}, by_gpus.begin()->first, ""};
  for (const auto& [gpus, repeats] : by_gpus) {
    CurvePoint point{gpus, 1, repeats, {}};
    for (const RunRow* run : repeats) {
      point.nodes = std::max(point.nodes, run->nodes);
      point.seconds_per_sample.push_back(seconds_per_sample(*run));
    }
    curve.points.push_back(std::move(point));
  }
  Difference found = first_difference(curve.points);
  curve.mixed = std::move(found.text);
  curve.mixed_condition = std::move(found.condition);
  return curve;
}

}  // namespace

std::string mixed_conditions(const std::vector<const RunRow*>& runs) {
  for (const RunRow* run : runs) {
    Difference found = condition_difference(*runs.front(), *run);
    if (!found.condition.empty()) return std::move(found.text);
  }
  return "";
}

bool is_batch(const std::string& axis) {
  return axis == kBatchPerGpu || axis == kGlobalBatch;
}

const char* fixed_batch(const Frame& frame) {
  if (frame.scaling == "strong") return kGlobalBatch;
  const bool listed_as_global = frame.scaling == "throughput" && find_axis(frame, kGlobalBatch);
  return listed_as_global ? kGlobalBatch : kBatchPerGpu;
}

CurveKeys::CurveKeys(const Frame& frame)
    : frame_(frame), fixed_(fixed_batch(frame)), spread_(frame.spread_curves) {
  bool any_nodes = false;
  for (const RunRow& run : frame.runs) {
    if (!names_batch(run)) largest_batch_ = std::max(largest_batch_, run.global_batch);
    any_nodes = any_nodes || run.point.contains(kNodes);
  }
  if (!any_nodes) return;
  // Node count as text, by curve and GPU count.
  std::map<std::pair<std::string, int>, std::string> nodes;
  for (const RunRow& run : frame.runs) {
    if (!completed(run) && !diverged(run) && !run.job) continue;
    std::string curve = to_string(key_of(run, false));
    const auto [known, is_new] = nodes.emplace(std::pair(curve, run.gpus), said_of(run, kNodes));
    if (!is_new && known->second != said_of(run, kNodes)) spread_.insert(std::move(curve));
  }
}

CurveKey CurveKeys::of(const RunRow& run) const {
  CurveKey key = key_of(run, false);
  const bool spread = !spread_.empty() && spread_.contains(to_string(key));
  return spread ? key_of(run, true) : key;
}

CurveKey CurveKeys::key_of(const RunRow& run, bool with_nodes) const {
  CurveKey key;
  key.reserve(run.point.size() + 1);
  const auto add = [&](const std::string& axis, const std::string& value) {
    if (std::ranges::find(key, axis, &AxisValue::axis) == key.end()) key.push_back({axis, value});
  };
  for (const contract::Axis& axis : frame_.axes) {
    const auto found = run.point.find(axis.name);
    if (found != run.point.end() && belongs_to_key(axis.name, with_nodes)) {
      add(axis.name, found->second);
    }
  }
  for (const auto& [axis, value] : run.point) {
    if (belongs_to_key(axis, with_nodes)) add(axis, value);
  }
  add(fixed_, fixed_batch_of(run));
  return key;
}

std::string CurveKeys::fixed_batch_of(const RunRow& run) const {
  return fixed_ == kGlobalBatch ? asked_global_batch(run) : samples_of_gpu(run);
}

std::string CurveKeys::asked_global_batch(const RunRow& run) const {
  const auto asked = run.point.find(kGlobalBatch);
  if (asked != run.point.end()) return asked->second;
  if (run.global_batch <= 0) return "";
  return std::to_string(names_batch(run) ? run.global_batch : largest_batch_);
}

bool CurveKeys::has_uneven_batch(const RunRow& run) const {
  return fixed_ == kGlobalBatch && run.global_batch > 0 &&
         asked_global_batch(run) != std::to_string(run.global_batch);
}

bool CurveKeys::has_unknown_batch(const RunRow& run) const {
  return fixed_batch_of(run).empty();
}

bool keeps_global_batch(const CurveKey& key) {
  return std::any_of(key.begin(), key.end(),
                     [](const AxisValue& entry) { return entry.axis == kGlobalBatch; });
}

std::string axis_text(const std::string& axis, const std::string& value) {
  if (!value.empty()) return axis + "=" + value;
  return is_batch(axis) ? axis + " unknown" : "no " + axis;
}

std::string value_of(const CurveKey& key, const std::string& axis) {
  for (const AxisValue& entry : key) {
    if (entry.axis == axis) return entry.value;
  }
  return "";
}

std::vector<std::size_t> rank_of(const Frame& frame, const CurveKey& key) {
  std::vector<std::size_t> rank;
  for (const AxisValue& entry : key) {
    rank.push_back(position(find_axis(frame, entry.axis), entry.value));
  }
  return rank;
}

std::string to_string(const CurveKey& key) {
  std::string text;
  for (const AxisValue& entry : key) {
    if (!text.empty()) text += ", ";
    text += axis_text(entry.axis, entry.value);
  }
  return text;
}

std::string short_axis(const std::string& axis, const std::vector<std::string>& among) {
  const auto is_taken = [&](const std::string& end) {
    return std::ranges::find(kUnclearAlone, end) != std::end(kUnclearAlone) ||
           std::ranges::any_of(among, [&](const std::string& other) {
             return other != axis && (other == end || other.ends_with("." + end));
           });
  };
  for (std::size_t dot = axis.rfind('.'); dot != axis.npos && dot > 0;
       dot = axis.rfind('.', dot - 1)) {
    const std::string end = axis.substr(dot + 1);
    if (!end.empty() && !is_taken(end)) return end;
  }
  return axis;
}

std::vector<std::string> axes_of(const std::vector<CurveKey>& keys) {
  std::vector<std::string> axes;
  for (const CurveKey& key : keys) {
    for (const AxisValue& entry : key) {
      if (std::ranges::find(axes, entry.axis) == axes.end()) axes.push_back(entry.axis);
    }
  }
  return axes;
}

std::string name_among(const CurveKey& key, const std::vector<std::string>& varying_axes) {
  const std::vector<std::string> own = axes_of({key});
  // The other axes of the keys have the same value in all keys, so that this key has them too.
  std::vector<std::string> all = own;
  all.insert(all.end(), varying_axes.begin(), varying_axes.end());
  const auto text_with = [&](const std::vector<std::string>& axes, bool with_unset) {
    CurveKey shown;
    for (const std::string& axis : axes) {
      const bool is_set = std::ranges::find(own, axis) != own.end();
      if (is_set || with_unset) shown.push_back({short_axis(axis, all), value_of(key, axis)});
    }
    return to_string(shown);
  };
  if (varying_axes.empty()) return text_with(own, true);
  const std::string text = text_with(varying_axes, false);
  return text.empty() ? text_with(varying_axes, true) : text;
}

std::vector<ScalingCurve> scaling_curves(const Frame& frame) {
  struct Group {
    CurveKey key;
    std::map<int, std::vector<const RunRow*>> by_gpus;
  };
  // The map sorts keys by the study's order. The text of the key keeps keys apart that have equal
  // positions in that order.
  std::map<std::pair<std::vector<std::size_t>, std::string>, Group> groups;
  const CurveKeys keys(frame);
  for (const RunRow& run : frame.runs) {
    if (!has_throughput(run)) continue;
    CurveKey key = keys.of(run);
    Group& group = groups[{rank_of(frame, key), to_string(key)}];
    group.key = std::move(key);
    group.by_gpus[run.gpus].push_back(&run);
  }
  std::vector<ScalingCurve> curves;
  for (auto& [order, group] : groups) {
    curves.push_back(make_curve(std::move(group.key), group.by_gpus));
    const auto first = frame.first_gpus.find(order.second);
    if (first != frame.first_gpus.end()) curves.back().first_gpus = first->second;
  }
  return curves;
}

Estimate throughput(const CurvePoint& point) {
  const Interval time = interval_of_median(point.seconds_per_sample);
  Interval rate{time.kind, 0, 0};
  if (time.kind != Interval::Kind::None) rate = {time.kind, 1 / time.high, 1 / time.low};
  return {1 / median(point.seconds_per_sample), rate, point.seconds_per_sample.size()};
}

std::vector<CurveKey> keys_of(const std::vector<ScalingCurve>& curves) {
  std::vector<CurveKey> keys;
  for (const ScalingCurve& curve : curves) keys.push_back(curve.key);
  return keys;
}

Repeats repeats_of(const std::vector<ScalingCurve>& curves) {
  Repeats repeats;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) repeats.add(point.repeats.size());
  }
  return repeats;
}

std::vector<std::string> varying_axes(const std::vector<CurveKey>& keys) {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::string>> values;
  std::map<std::string, std::size_t> keys_with;
  for (const CurveKey& key : keys) {
    for (const AxisValue& entry : key) {
      if (values[entry.axis].empty()) order.push_back(entry.axis);
      values[entry.axis].insert(entry.value);
      ++keys_with[entry.axis];
    }
  }
  std::erase_if(order, [&](const std::string& axis) {
    return values[axis].size() < 2 && keys_with[axis] == keys.size();
  });
  return order;
}

}  // namespace dlscale::analysis
