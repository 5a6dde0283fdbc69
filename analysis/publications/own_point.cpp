// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/own_point.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "analysis/metrics/prediction_score.hpp"
#include "analysis/publications/axes.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kCores = "cores";

bool is_count(const std::string& axis) {
  return axis == kGpus || axis == kCores;
}

/// Adds each value of a dotted axis under the last part of the axis name, unless the run already
/// has an axis of that name.
void add_short_names(std::map<std::string, std::string>& axes) {
  std::map<std::string, std::string> added;
  for (const auto& [axis, value] : axes) {
    const std::size_t dot = axis.rfind('.');
    if (dot != std::string::npos) added.emplace(axis.substr(dot + 1), value);
  }
  axes.merge(added);
}

/// Returns the point of a run with this curve key, without its measured or predicted values.
OwnPoint point_of(const RunRow& run, const CurveKey& key, int nodes) {
  OwnPoint own{.axes = run.conditions, .key = key, .gpus = run.gpus};
  for (const auto& [axis, value] : run.point) own.axes[axis] = value;
  for (const AxisValue& value : key) own.axes[value.axis] = value.value;
  own.axes[kNodes] = std::to_string(nodes);
  for (const auto& [name, batch] : {std::pair("batch_per_gpu", run.batch_per_gpu),
                                    std::pair("global_batch", run.global_batch)}) {
    if (own.axes[name].empty()) own.axes[name] = batch > 0 ? std::to_string(batch) : "";
    if (own.axes[name].empty()) own.axes.erase(name);
  }
  own.axes.erase(kGpus);
  const auto device = own.axes.find("device");
  own.on_cpus = device != own.axes.end() && device->second == "cpu";
  own.axes[own.on_cpus ? kCores : kGpus] = std::to_string(run.gpus);
  add_short_names(own.axes);
  return own;
}

/// Returns true if two keys agree in all axes except `along`, which must be an axis of both.
bool differ_only_in(const CurveKey& a, const CurveKey& b, const std::string& along) {
  if (a.size() != b.size()) return false;
  bool found = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const std::string& axis = a[i].axis;
    if (axis != b[i].axis) return false;
    const bool is_along = axis == along || axis.ends_with("." + along);
    found = found || is_along;
    if (!is_along && a[i].value != b[i].value) return false;
  }
  return found;
}

bool is_neighbour(const OwnPoint& a, const OwnPoint& b, const std::string& along) {
  const auto kind = [](const OwnPoint& own) { return std::pair(own.measured(), own.predicted()); };
  if (kind(a) != kind(b) || a.on_cpus != b.on_cpus || a.folder != b.folder) return false;
  if (is_count(along)) return a.key == b.key;
  return a.gpus == b.gpus && differ_only_in(a.key, b.key, along);
}

bool is_profiled(const OwnPoint& own) {
  return own.measured() && std::ranges::any_of(own.point->repeats, [](const RunRow* run) {
           return !run->profiles.empty();
         });
}

/// Returns the key without the axis that states whether runs record a profile.
CurveKey without_profile(CurveKey key) {
  std::erase_if(key, [](const AxisValue& entry) { return entry.axis == "profile"; });
  return key;
}

}  // namespace

std::vector<OwnPoint> own_points(const std::vector<ScalingCurve>& curves) {
  std::vector<OwnPoint> points;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      OwnPoint own = point_of(*point.repeats.front(), curve.key, point.nodes);
      own.curve = &curve;
      own.point = &point;
      own.gpus = point.gpus;
      points.push_back(std::move(own));
    }
  }
  return points;
}

std::vector<OwnPoint> predicted_points(const Frame& frame) {
  const CurveKeys keys(frame);
  const RunsById runs = runs_by_id(frame);
  std::vector<OwnPoint> points;
  for (const KeptPrediction& kept : frame.predictions) {
    if (!kept.said.mode.empty()) continue;
    const auto run = std::find_if(kept.run_ids.begin(), kept.run_ids.end(),
                                  [&](const std::string& id) { return runs.contains(id); });
    if (run == kept.run_ids.end()) continue;
    const RunRow& row = *runs.at(*run);
    OwnPoint own = point_of(row, keys.of(row), row.nodes);
    own.prediction = &kept.said;
    own.planned = &row;
    own.size.trainable_parameters = kept.said.trainable_parameters;
    own.size.train_samples = kept.said.train_samples;
    points.push_back(std::move(own));
  }
  return points;
}

namespace {

/// Axes on which neither the number of parameters nor the number of samples depends.
bool is_about_ranks(const std::string& axis) {
  return axis == kGpus || axis == kNodes || axis == "batch_per_gpu" || axis == "global_batch" ||
         axis == "framework" || axis == "loader" || axis == "lr_schedule";
}

/// Returns the conditions and axis values of a run that determine the sizes of its model and data
/// set.
std::map<std::string, std::string> work_of(const RunRow& run) {
  std::map<std::string, std::string> work;
  for (const char* name : {"model", "dataset"}) {
    const auto condition = run.conditions.find(name);
    if (condition != run.conditions.end()) work[name] = condition->second;
  }
  for (const auto& [axis, value] : run.point) {
    if (!is_about_ranks(axis)) work[axis] = value;
  }
  return work;
}

}  // namespace

std::vector<OwnPoint> planned_points(const Frame& frame) {
  const CurveKeys keys(frame);
  std::map<std::map<std::string, std::string>, const RunRow*> sizes;
  for (const RunRow& run : frame.runs) {
    if (run.size.trainable_parameters > 0) sizes.emplace(work_of(run), &run);
  }
  std::vector<OwnPoint> points;
  std::set<std::map<std::string, std::string>> seen;
  for (const RunRow& run : frame.runs) {
    if (has_throughput(run)) seen.insert(run.point);
  }
  for (const RunRow& run : frame.runs) {
    if (!seen.insert(run.point).second) continue;
    OwnPoint own = point_of(run, keys.of(run), run.nodes);
    own.planned = &run;
    const auto known = sizes.find(work_of(run));
    if (known != sizes.end()) own.size = known->second->size;
    points.push_back(std::move(own));
  }
  return points;
}

std::string value_along(const OwnPoint& own, const std::string& axis) {
  const auto value = own.axes.find(is_count(axis) ? (own.on_cpus ? kCores : kGpus) : axis);
  return value == own.axes.end() ? std::string() : value->second;
}

std::vector<std::string> differences(const OwnPoint& a, const OwnPoint& b,
                                     const std::string& along) {
  std::map<std::string, std::array<std::string, 2>> values;
  for (const auto& [i, own] : {std::pair(0, &a), std::pair(1, &b)}) {
    for (const AxisValue& value : own->key) values[value.axis].at(i) = value.value;
    if (!is_count(along)) values[kGpus].at(i) = std::to_string(own->gpus);
    values["device"].at(i) = own->on_cpus ? "cpu" : "gpu";
    values["folder"].at(i) = std::to_string(own->folder + 1);
  }
  std::vector<std::string> texts;
  for (const auto& [axis, value] : values) {
    if (axis == along || axis.ends_with("." + along) || value[0] == value[1]) continue;
    const auto text = [](const std::string& one) { return one.empty() ? "none" : one; };
    texts.push_back(fmt::format("{} ({} and {})", axis, text(value[0]), text(value[1])));
  }
  return texts;
}

const OwnPoint* neighbour(const std::vector<OwnPoint>& points, const OwnPoint& own,
                          const std::string& along, const std::string& value) {
  const AxisCell cell(value);
  for (const OwnPoint& other : points) {
    const std::string at = value_along(other, along);
    if (!at.empty() && is_neighbour(own, other, along) && cell.meets(AxisCell(at))) return &other;
  }
  return nullptr;
}

std::vector<const OwnPoint*> series_of(const std::vector<OwnPoint>& points, const OwnPoint& own,
                                       const std::string& along) {
  std::vector<std::pair<double, const OwnPoint*>> found;
  for (const OwnPoint& other : points) {
    const auto at = AxisCell(value_along(other, along)).number();
    if (at && is_neighbour(own, other, along)) found.emplace_back(*at, &other);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const OwnPoint*> series;
  for (const auto& [at, point] : found) series.push_back(point);
  return series;
}

bool has_unprofiled_runs(const std::vector<OwnPoint>& points, const OwnPoint& own) {
  if (!is_profiled(own)) return false;
  const CurveKey key = without_profile(own.key);
  return std::ranges::any_of(points, [&](const OwnPoint& other) {
    return other.measured() && !is_profiled(other) && other.gpus == own.gpus &&
           other.on_cpus == own.on_cpus && without_profile(other.key) == key;
  });
}

std::string source_of(const OwnPoint& own, bool published_for_gpus) {
  if (own.measured()) return own.on_cpus && published_for_gpus ? "CPU run" : "run";
  if (!own.predicted()) return "computed";
  return own.on_cpus ? "CPU prediction" : "prediction";
}

std::string in_words(const OwnPoint& own) {
  std::string text = (own.on_cpus ? "cores " : "gpus ") + std::to_string(own.gpus);
  for (const AxisValue& value : own.key) text += ", " + value.axis + " " + value.value;
  return text;
}

}  // namespace dlscale::analysis
