// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/measured_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/publications/axes.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::size_t kLoadWait = 0;  // index of the wait for data in contract::kStepPartNames

/// Time of a step in seconds, split into waiting for data and everything else. Each part is a mean
/// over the repeated runs of a point.
struct StepMeans {
  double loading_s = 0;
  double compute_s = 0;
};

std::optional<StepMeans> step_means(const CurvePoint& point) {
  StepMeans means;
  for (const RunRow* run : point.repeats) {
    const auto& parts = run->steps.parts_s;
    const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
    if (all <= 0 || run->steps.steps == 0) return std::nullopt;
    const auto steps = static_cast<double>(run->steps.steps);
    means.loading_s += parts[kLoadWait] / steps;
    means.compute_s += (all - parts[kLoadWait]) / steps;
  }
  const auto n = static_cast<double>(point.repeats.size());
  return StepMeans{means.loading_s / n, means.compute_s / n};
}

/// Returns the median of `of(run)` over the repeated runs of a point. Returns nothing if `of`
/// returns nothing for one of the runs.
std::optional<Estimate> median_of(const CurvePoint& point,
                                  const std::function<std::optional<double>(const RunRow&)>& of) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) {
    const auto value = of(*run);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return Estimate{median(values), interval_of_median(values), values.size()};
}

Estimate without_interval(double value, const CurvePoint& point) {
  return {value, {}, point.repeats.size()};
}

const CurvePoint* point_at(const ScalingCurve& curve, double gpus) {
  for (const CurvePoint& point : curve.points) {
    if (point.gpus == gpus) return &point;
  }
  return nullptr;
}

std::optional<Estimate> own_throughput(const Publication& publication, const Published& published,
                                       const CurvePoint& point) {
  const Definition* definition = publication.definition("throughput");
  const bool by_formula =
      definition != nullptr && !definition->formula.empty() &&
      (published.statistic.empty() || published.statistic == definition->statistic);
  if (by_formula) {
    const auto means = step_means(point);
    if (!means || point.repeats.front()->global_batch <= 0) return std::nullopt;
    const auto batch = static_cast<double>(point.repeats.front()->global_batch);
    return without_interval(config::compute(definition->formula,
                                            {{"batch", batch},
                                             {"gpus", point.gpus},
                                             {"nodes", point.nodes},
                                             {"loading_s", means->loading_s},
                                             {"compute_s", means->compute_s}},
                                            definition->place),
                            point);
  }
  if (!published.statistic.empty() && published.statistic != "median") return std::nullopt;
  return throughput(point);
}

/// Returns the result point that is the baseline of a published speed-up, efficiency or gain. This
/// is the point that the claim names in `from`, else the baseline of the publication, else the
/// first point of the curve. Returns null if the curve lacks this point.
const CurvePoint* start_of_series(const Publication& publication, const Published& published,
                                  const OwnPoint& own) {
  if (published.along == "gpus" || published.along == "cores") {
    return point_at(*own.curve, AxisCell(published.from).number().value_or(0));
  }
  const double stated = publication.baseline_gpus;
  return stated > 0 ? point_at(*own.curve, stated) : &own.curve->points.front();
}

/// Returns the efficiency that the publication's formula gives for a speed-up. The ends of the
/// interval are computed from the ends of the interval of the speed-up.
Estimate by_definition(const Definition& definition, Estimate speedup, const CurvePoint& start,
                       const CurvePoint& point) {
  const auto efficiency = [&](double faster) {
    const std::string& formula =
        definition.reading.empty() ? definition.formula : definition.reading;
    return config::compute(formula,
                           {{"speedup", faster},
                            {"t0", faster},
                            {"t", 1},
                            {"gpus", point.gpus},
                            {"gpus0", start.gpus},
                            {"nodes", point.nodes},
                            {"nodes0", start.nodes}},
                           definition.place);
  };
  speedup.value = efficiency(speedup.value);
  speedup.interval.low = efficiency(speedup.interval.low);
  speedup.interval.high = efficiency(speedup.interval.high);
  return speedup;
}

std::optional<Estimate> own_ratio(const Publication& publication, const Published& published,
                                  const OwnPoint& own) {
  const CurvePoint* start = start_of_series(publication, published, own);
  if (start == nullptr || !own.curve->mixed.empty()) return std::nullopt;
  const Estimate faster = speedup(*own.point, Baseline(*start));
  if (published.quantity != "efficiency") return faster;
  const Definition* definition = publication.definition("efficiency");
  const bool defined =
      definition != nullptr && !(definition->formula + definition->reading).empty();
  if (!defined) return efficiency(*own.point, Baseline(*start));
  return by_definition(*definition, faster, *start, *own.point);
}

/// Returns the change of the throughput from one count to another, for claims such as "+40 %"
/// (relation gain) or "1.4 times" (relation times).
std::optional<Estimate> own_gain(const Publication& publication, const Published& published,
                                 const OwnPoint& own) {
  const CurvePoint* start = start_of_series(publication, published, own);
  if (start == nullptr || published.quantity != "throughput" || !own.curve->mixed.empty()) {
    return std::nullopt;
  }
  const auto from = own_throughput(publication, published, *start);
  const auto to = own_throughput(publication, published, *own.point);
  if (!from || !to) return std::nullopt;
  Estimate gain = speedup(*own.point, Baseline(*start));
  const double factor = to->value / from->value;
  if (from->interval.kind == Interval::Kind::None) gain.interval = {};
  gain.value = published.relation == "gain" ? factor - 1 : factor;
  if (published.relation == "gain") {
    gain.interval.low -= 1;
    gain.interval.high -= 1;
  }
  return gain;
}

std::optional<Estimate> own_part(const CurvePoint& point, double StepMeans::*part) {
  const auto means = step_means(point);
  if (!means) return std::nullopt;
  return without_interval((*means).*part, point);
}

std::optional<Estimate> own_runtime(const Published& published, const CurvePoint& point) {
  const auto epochs = AxisCell(published.axis("epochs")).number();
  if (!epochs) return std::nullopt;
  return median_of(point, [&](const RunRow& run) -> std::optional<double> {
    const auto epoch = epoch_time_s(run);
    if (!epoch) return std::nullopt;
    return *epoch * *epochs;
  });
}

std::optional<Estimate> own_accuracy(const CurvePoint& point) {
  return median_of(point, [](const RunRow& run) -> std::optional<double> {
    if (!has_accuracy(run)) return std::nullopt;
    return final_accuracy(run);
  });
}

}  // namespace

std::vector<OwnPoint> own_points(const std::vector<ScalingCurve>& curves) {
  std::vector<OwnPoint> points;
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      const RunRow& run = *point.repeats.front();
      OwnPoint own{run.conditions, &curve, &point};
      for (const auto& [axis, value] : run.point) own.axes[axis] = value;
      for (const AxisValue& value : curve.key) own.axes[value.axis] = value.value;
      own.axes["nodes"] = std::to_string(point.nodes);
      for (const auto& [name, batch] : {std::pair("batch_per_gpu", run.batch_per_gpu),
                                        std::pair("global_batch", run.global_batch)}) {
        if (own.axes[name].empty()) own.axes[name] = batch > 0 ? std::to_string(batch) : "";
        if (own.axes[name].empty()) own.axes.erase(name);
      }
      own.axes.erase("gpus");
      const auto device = own.axes.find("device");
      const bool on_cpus = device != own.axes.end() && device->second == "cpu";
      own.axes[on_cpus ? "cores" : "gpus"] = std::to_string(point.gpus);
      points.push_back(std::move(own));
    }
  }
  return points;
}

std::optional<Estimate> measured_value(const Publication& publication, const Published& published,
                                       const OwnPoint& own) {
  const std::string& quantity = published.quantity;
  const CurvePoint& point = *own.point;
  if (published.relation == "gain" || published.relation == "times") {
    return own_gain(publication, published, own);
  }
  if (quantity == "efficiency" || quantity == "speedup") {
    return own_ratio(publication, published, own);
  }
  if (quantity == "throughput") return own_throughput(publication, published, point);
  if (quantity == "mean_loading") return own_part(point, &StepMeans::loading_s);
  if (quantity == "mean_compute") return own_part(point, &StepMeans::compute_s);
  if (quantity == "step_time") return median_of(point, &step_time_s);
  if (quantity == "epoch_time" || quantity == "train_time") return median_of(point, &epoch_time_s);
  if (quantity == "runtime") return own_runtime(published, point);
  if (quantity == "accuracy" || (quantity == "val_accuracy" && published.statistic == "last")) {
    return own_accuracy(point);
  }
  return std::nullopt;
}

}  // namespace dlscale::analysis
