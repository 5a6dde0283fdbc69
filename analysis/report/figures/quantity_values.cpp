// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/quantity_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/report/figures/figure_parts.hpp"

namespace dlscale::analysis {
namespace {

constexpr const char* kTargetAxis = "target";

/// Largest number of points of a curve over the training. Curves of more step windows show means of
/// consecutive windows.
constexpr std::size_t kMostTracePoints = 1000;

/// Returns the values of all axes at a point: `key`, the GPU count, the node count and both
/// batches. The global batch of a curve with a fixed global batch is the requested one.
CurveKey place_of(CurveKey key, const RunRow& run) {
  const auto add = [&](const char* axis, const std::string& value) {
    if (std::ranges::find(key, axis, &AxisValue::axis) == key.end()) key.push_back({axis, value});
  };
  add(kGpus, std::to_string(run.gpus));
  add(kNodes, std::to_string(run.nodes));
  const double share = static_cast<double>(run.global_batch) / run.gpus;
  add(kBatchPerGpu, run.batch_per_gpu > 0  ? std::to_string(run.batch_per_gpu)
                    : run.global_batch > 0 ? fmt::format("{:.7g}", share)
                                           : "");
  add(kGlobalBatch, run.global_batch > 0 ? std::to_string(run.global_batch) : "");
  return key;
}

void set_value(CurveKey& key, const char* axis, const std::string& value) {
  const auto found = std::ranges::find(key, axis, &AxisValue::axis);
  if (found == key.end()) {
    key.push_back({axis, value});
  } else {
    found->value = value;
  }
}

/// Returns the estimate from the values of the repeats, in the unit of the figure.
Estimate estimate_of(const Quantity& quantity, const std::vector<double>& values) {
  Estimate estimate{median(values), interval_of_median(values), values.size()};
  if (quantity.inverse) {
    Interval& interval = estimate.interval;
    estimate.value = 1 / estimate.value;
    if (interval.kind != Interval::Kind::None) {
      interval = {interval.kind, 1 / interval.high, 1 / interval.low};
    }
  }
  estimate.value *= quantity.scale;
  estimate.interval.low *= quantity.scale;
  estimate.interval.high *= quantity.scale;
  return estimate;
}

/// Values of the repeats of a point, by the text of the place. A point of the study has several
/// places if its runs measured several batches or targets.
using Places = std::map<std::string, std::pair<CurveKey, std::vector<double>>>;

void add_value(Places& places, const CurveKey& place, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return;
  auto& [key, values] = places[to_string(place)];
  key = place;
  values.push_back(*value);
}

void add_inference(Places& places, const CurveKey& place, const Quantity& quantity,
                   const RunRow& run) {
  for (const InferenceRow& row : run.inference) {
    CurveKey at = place;
    // A log with several batches states them in its rows only.
    if (run.inference.size() > 1) {
      set_value(at, kBatchPerGpu, std::to_string(row.batch));
      set_value(at, kGlobalBatch, "");
    }
    add_value(places, at, quantity.of_inference(row));
  }
}

void add_targets(Places& places, const CurveKey& place, const Quantity& quantity,
                 const RunRow& run) {
  for (const TargetRow& row : run.targets) {
    CurveKey at = place;
    at.push_back({kTargetAxis, fmt::format("{} {}", row.metric, row.threshold)});
    add_value(places, at, quantity.of_target(row));
  }
}

std::vector<PlacedValue> points_of_runs(const Frame& frame, const Quantity& quantity) {
  std::vector<PlacedValue> points;
  for (const RunPoint& point : run_points(frame, &completed)) {
    const CurveKey place = place_of(point.key, point.first());
    Places places;
    for (const RunRow* run : point.repeats) {
      if (quantity.of_run != nullptr) add_value(places, place, quantity.of_run(*run));
      if (quantity.measured != nullptr) {
        add_value(places, place, measured_value(*quantity.measured, *run));
      }
      if (quantity.of_inference != nullptr) add_inference(places, place, quantity, *run);
      if (quantity.of_target != nullptr) add_targets(places, place, quantity, *run);
    }
    for (const auto& [text, values] : places) {
      points.push_back({0, values.first, 0, 0, estimate_of(quantity, values.second)});
    }
  }
  return points;
}

/// Returns the points of a quantity that is relative to the baseline of a scaling curve.
std::vector<PlacedValue> relative_points(const Frame& frame, const AnalysisOptions& options,
                                         const Quantity& quantity) {
  const Drawing drawing(frame, options);
  std::vector<PlacedValue> points;
  for (std::size_t i = 0; i < drawing.curves.size(); ++i) {
    if (!drawing.choices[i].baseline) continue;
    for (const CurvePoint& point : drawing.curves[i].points) {
      points.push_back({0, place_of(drawing.curves[i].key, *point.repeats.front()), 0, 0,
                        quantity.relative(point, *drawing.choices[i].baseline)});
    }
  }
  return points;
}

// Values over the course of the training.

/// Returns the x value of a moment of the training, or an empty value if the run does not record
/// it.
std::optional<double> x_of(const RunRow& run, const TraceMoment& at, const std::string& axis) {
  if (axis == "epoch") return at.epoch + 1;
  if (axis == "time") {
    const double time = train_s(run, at.epoch);
    return time > 0 ? std::optional(time) : std::nullopt;
  }
  if (at.step <= 0) return std::nullopt;
  if (axis == "step") return static_cast<double>(at.step);
  if (run.global_batch <= 0) return std::nullopt;
  return static_cast<double>(at.step * run.global_batch);
}

/// Returns the means of blocks of `block` consecutive values. Each mean is at the last moment of
/// its block.
std::vector<TracePoint> means_of_blocks(const std::vector<TracePoint>& points, std::size_t block) {
  if (block < 2) return points;
  std::vector<TracePoint> means;
  for (std::size_t begin = 0; begin < points.size(); begin += block) {
    const std::size_t end = std::min(begin + block, points.size());
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += points[i].value;
    means.push_back({points[end - 1].at, sum / static_cast<double>(end - begin)});
  }
  return means;
}

/// Returns the number of step windows of a run that each point of the figure shows.
std::size_t windows_of_point(const Frame& frame, const Quantity& quantity) {
  std::size_t most = 0;
  for (const RunRow& run : frame.runs) most = std::max(most, quantity.by_window(run).size());
  return (most + kMostTracePoints - 1) / kMostTracePoints;
}

/// Values of the repeats at one moment of the training.
struct Moment {
  std::vector<double> xs, values;
};

}  // namespace

bool uses_windows(const Quantity& quantity, const std::string& axis) {
  return quantity.by_window != nullptr && (axis == "step" || axis == "samples");
}

std::vector<PlacedValue> values_at_points(const Frame& frame, const AnalysisOptions& options,
                                          const Quantity& quantity) {
  return quantity.relative != nullptr ? relative_points(frame, options, quantity)
                                      : points_of_runs(frame, quantity);
}

std::vector<PlacedValue> values_over_training(const Frame& frame, const Quantity& quantity,
                                              const std::string& axis) {
  std::vector<PlacedValue> points;
  const bool windows = uses_windows(quantity, axis);
  const std::size_t block = windows ? windows_of_point(frame, quantity) : 1;
  for (const RunPoint& point : run_points(frame, &completed)) {
    std::map<std::int64_t, Moment> moments;
    for (const RunRow* run : point.repeats) {
      const std::vector<TracePoint> values =
          windows ? means_of_blocks(quantity.by_window(*run), block) : quantity.by_epoch(*run);
      for (const TracePoint& one : values) {
        const std::optional<double> x = x_of(*run, one.at, axis);
        if (!x) continue;
        Moment& moment = moments[windows ? one.at.step : one.at.epoch];
        moment.xs.push_back(*x);
        moment.values.push_back(one.value);
      }
    }
    const CurveKey place = place_of(point.key, point.first());
    for (const auto& [order, moment] : moments) {
      points.push_back({0, place, median(moment.xs), static_cast<double>(order),
                        estimate_of(quantity, moment.values)});
    }
  }
  return points;
}

}  // namespace dlscale::analysis
