// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/report/headings.hpp"
#include "analysis/report/legend.hpp"
#include "analysis/scaling/accuracy_vs_batch.hpp"
#include "analysis/scaling/breakdown.hpp"
#include "analysis/scaling/efficiency.hpp"
#include "base/registry.hpp"

namespace dlscale::analysis {
namespace {

std::optional<Bounds> bounds_of(const Interval& interval) {
  if (interval.kind == Interval::Kind::None) return std::nullopt;
  return Bounds{interval.low, interval.high};
}

struct Drawing {
  std::vector<ScalingCurve> curves;
  std::vector<BaselineChoice> choices;
  std::string worker;
  Legend legend;
  Repeats repeats;

  Drawing(const Frame& frame, const AnalysisOptions& options)
      : curves(scaling_curves(frame)),
        choices(choose_baselines(curves, options.baseline, options.allow_mixed)),
        worker(worker_word(frame)),
        legend(keys_of(curves), worker),
        repeats(repeats_of(curves)) {}
};

/// "n = 3", "n = 2-5".
std::string repeats_words(const Repeats& repeats) {
  if (repeats.fewest == repeats.most) return fmt::format("n = {}", repeats.most);
  return fmt::format("n = {}-{}", repeats.fewest, repeats.most);
}

std::string short_statistic(const Repeats& repeats) {
  if (repeats.most < 2) return "n = 1";
  const bool none = repeats.most < kFewestForInterval;
  const bool all = repeats.fewest >= kFewestForInterval;
  return fmt::format("median of {}, bars: {}", repeats_words(repeats),
                     none  ? "range"
                     : all ? "95 % interval"
                           : "range or 95 % interval");
}

std::string short_mode(const Frame& frame) {
  return frame.scaling == "throughput" ? "throughput mode" : frame.scaling + " scaling";
}

std::vector<std::string> notes_of(const Frame& frame) {
  std::vector<std::string> notes{describe_mode(frame), describe_constants(frame),
                                 describe_use(frame)};
  const std::string uneven = describe_uneven_batches(frame);
  if (!uneven.empty()) notes.push_back(uneven);
  return notes;
}

/// The baseline all curves share, if they do.
const Baseline* common_baseline(const std::vector<BaselineChoice>& choices) {
  const Baseline* common = nullptr;
  for (const BaselineChoice& choice : choices) {
    if (!choice.baseline) continue;
    if (common != nullptr && common->gpus() != choice.baseline->gpus()) return nullptr;
    common = &*choice.baseline;
  }
  return common;
}

FigureAxis gpu_axis(const std::string& worker) {
  return {"gpus", worker + "s", 2, false, true};
}

/// A figure over GPU counts of what `estimate` makes of a point and its curve's baseline.
template <class Estimator>
Figure compared_figure(const Frame& frame, const AnalysisOptions& options, FigureAxis y,
                       Estimator estimate) {
  Drawing drawing(frame, options);
  Figure figure;
  figure.x = gpu_axis(drawing.worker);
  figure.y = std::move(y);
  figure.subtitle =
      fmt::format("baseline {}; {}; {}", baseline_labels(drawing.choices, drawing.worker),
                  short_mode(frame), short_statistic(drawing.repeats));
  figure.notes = notes_of(frame);
  for (const std::string& problem : describe_problems(drawing.choices)) {
    figure.notes.push_back(problem);
  }
  figure.legend_title = drawing.legend.title();
  for (std::size_t i = 0; i < drawing.curves.size(); ++i) {
    if (!drawing.choices[i].baseline) continue;
    Series series = drawing.legend.series(drawing.curves[i].key);
    for (const CurvePoint& point : drawing.curves[i].points) {
      const Estimate value = estimate(point, *drawing.choices[i].baseline);
      series.points.push_back({double(point.gpus), value.value, bounds_of(value.interval)});
    }
    figure.series.push_back(std::move(series));
  }
  const Baseline* common = common_baseline(drawing.choices);
  if (common != nullptr) figure.ideal = Series{"ideal", {}};
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      if (common != nullptr)
        figure.ideal->points.push_back({point.x, point.x / common->gpus(), {}});
    }
  }
  return figure;
}

Figure speedup_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure = compared_figure(frame, options, {"speedup", "speed-up", 2}, &speedup);
  figure.title = fmt::format("Speed-up of {}", frame.study);
  return figure;
}

Figure efficiency_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure =
      compared_figure(frame, options, {"efficiency", "parallel efficiency", 0, true}, &efficiency);
  figure.title = fmt::format("Parallel efficiency of {}", frame.study);
  if (figure.ideal) {
    for (FigurePoint& point : figure.ideal->points) point.y = 1;
  }
  return figure;
}

/// Values that differ by more than this are shown on a logarithmic axis.
constexpr double kWideSpan = 16;

Figure throughput_figure(const Frame& frame, const AnalysisOptions& options) {
  Drawing drawing(frame, options);
  Figure figure;
  figure.title = fmt::format("Throughput of {}", frame.study);
  figure.subtitle = fmt::format("{}; {}", short_mode(frame), short_statistic(drawing.repeats));
  figure.notes = notes_of(frame);
  figure.x = gpu_axis(drawing.worker);
  figure.y = {"throughput_samples_per_s", "throughput (samples/s)", 0, true};
  figure.legend_title = drawing.legend.title();
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const ScalingCurve& curve : drawing.curves) {
    Series series = drawing.legend.series(curve.key);
    for (const CurvePoint& point : curve.points) {
      const Estimate x = throughput(point);
      least = std::min(least, x.value);
      most = std::max(most, x.value);
      series.points.push_back({double(point.gpus), x.value, bounds_of(x.interval)});
    }
    figure.series.push_back(std::move(series));
  }
  if (most > kWideSpan * least) figure.y = {figure.y.id, figure.y.title, 10};
  return figure;
}

Figure breakdown_figure(const Frame& frame, const AnalysisOptions& options) {
  const Drawing drawing(frame, options);
  Figure figure;
  figure.title = fmt::format("Where the step time goes in {}", frame.study);
  figure.subtitle = fmt::format("mean over ranks and repeats ({}); {}",
                                repeats_words(drawing.repeats), short_mode(frame));
  figure.notes = notes_of(frame);
  figure.x = {"run", ""};
  figure.y = {"ms", "time per step (ms)", 0, true};
  const std::vector<std::string> axes = varying_axes(keys_of(drawing.curves));
  for (std::size_t part = 0; part < contract::kStepParts; ++part) {
    figure.series.push_back({contract::kStepPartNames[part], {}, part, part});
  }
  for (const Breakdown& breakdown : breakdowns(drawing.curves)) {
    std::string label;
    for (const std::string& axis : axes) label += value_of(breakdown.key, axis) + ", ";
    figure.categories.push_back(label + count_of(breakdown.gpus, drawing.worker));
    for (std::size_t part = 0; part < contract::kStepParts; ++part) {
      const double ms = 1000 * breakdown.share[part] * breakdown.closure * breakdown.step_time_s;
      figure.series[part].points.push_back({0, ms, {}});
    }
  }
  if (figure.categories.empty()) figure.series.clear();
  return figure;
}

CurveKey with_gpus(CurveKey key, int gpus) {
  key.push_back({"gpus", std::to_string(gpus)});
  return key;
}

std::string accuracy_subtitle(const Frame& frame, const std::vector<AccuracyPoint>& points) {
  return fmt::format("{}; {}", short_mode(frame), short_statistic(repeats_of(points)));
}

Figure accuracy_vs_batch_figure(const Frame& frame, const AnalysisOptions&) {
  const std::vector<AccuracyPoint> points = accuracy_points(frame);
  // Along a line the batch grows: with the GPU count, or at one GPU count if curves fix it.
  const bool at_fixed_gpus = !points.empty() && !value_of(points[0].key, "global_batch").empty();
  const auto series_key = [&](const AccuracyPoint& point) {
    if (!at_fixed_gpus) return point.key;
    CurveKey key = with_gpus(point.key, point.gpus);
    std::erase_if(key, [](const AxisValue& entry) { return entry.axis == "global_batch"; });
    return key;
  };
  std::vector<CurveKey> keys;
  for (const AccuracyPoint& point : points) keys.push_back(series_key(point));
  Legend legend(keys, worker_word(frame));
  Figure figure;
  figure.title = fmt::format("Test accuracy by global batch of {}", frame.study);
  figure.subtitle = "after the last epoch; " + accuracy_subtitle(frame, points);
  figure.notes = notes_of(frame);
  figure.x = {"global_batch", "global batch (samples)", 2, false, true};
  figure.y = {"accuracy_percent", "test accuracy (%)"};
  figure.legend_title = legend.title();
  std::vector<CurveKey> drawn;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto found = std::find(drawn.begin(), drawn.end(), keys[i]);
    if (found == drawn.end()) figure.series.push_back(legend.series(keys[i]));
    const auto index = static_cast<std::size_t>(found - drawn.begin());
    if (found == drawn.end()) drawn.push_back(keys[i]);
    const Estimate& accuracy = points[i].final_accuracy;
    std::optional<Bounds> bounds = bounds_of(accuracy.interval);
    if (bounds) bounds = Bounds{100 * bounds->low, 100 * bounds->high};
    figure.series[index].points.push_back(
        {double(points[i].global_batch), 100 * accuracy.value, bounds});
  }
  return figure;
}

/// A line over epochs per point: medians over the repeats of what `values` says of one run, as
/// pairs of epoch (from 0) and value.
template <class Values>
Figure epoch_figure(const Frame& frame, Values values) {
  const std::vector<AccuracyPoint> points = accuracy_points(frame);
  std::vector<CurveKey> keys;
  for (const AccuracyPoint& point : points) keys.push_back(with_gpus(point.key, point.gpus));
  Legend legend(keys, worker_word(frame));
  Figure figure;
  figure.subtitle = accuracy_subtitle(frame, points);
  figure.notes = notes_of(frame);
  figure.x = {"epoch", "epoch", 0, false, true};
  figure.legend_title = legend.title();
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::map<int, std::vector<double>> by_epoch;
    for (const RunRow* run : points[i].repeats) {
      for (const auto& [epoch, value] : values(*run))
        if (std::isfinite(value)) by_epoch[epoch].push_back(value);
    }
    Series series = legend.series(keys[i]);
    for (const auto& [epoch, repeats] : by_epoch) {
      series.points.push_back(
          {double(epoch + 1), median(repeats), bounds_of(interval_of_median(repeats))});
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

Figure accuracy_vs_epoch_figure(const Frame& frame, const AnalysisOptions&) {
  Figure figure = epoch_figure(frame, [](const RunRow& run) {
    std::vector<std::pair<int, double>> values;
    for (const EvalRow& eval : run.evals) values.emplace_back(eval.epoch, 100 * eval.accuracy);
    return values;
  });
  figure.title = fmt::format("Test accuracy by epoch of {}", frame.study);
  figure.y = {"accuracy_percent", "test accuracy (%)"};
  return figure;
}

Figure loss_figure(const Frame& frame, const AnalysisOptions&) {
  Figure figure = epoch_figure(frame, [](const RunRow& run) {
    std::vector<std::pair<int, double>> values;
    for (const EpochRow& epoch : run.epochs) values.emplace_back(epoch.epoch, epoch.train_loss);
    return values;
  });
  figure.title = fmt::format("Training loss by epoch of {}", frame.study);
  figure.y = {"train_loss", "training loss (mean of the epoch)"};
  return figure;
}

constexpr FigureKind kKinds[] = {
    {"speedup", "speed-up over GPUs with the ideal line", &speedup_figure},
    {"efficiency", "parallel efficiency over GPUs", &efficiency_figure},
    {"throughput", "samples per second over GPUs", &throughput_figure},
    {"breakdown", "stacked parts of the step time", &breakdown_figure},
    {"accuracy-vs-batch", "final test accuracy over the global batch", &accuracy_vs_batch_figure},
    {"accuracy-vs-epoch", "test accuracy over epochs", &accuracy_vs_epoch_figure},
    {"loss", "training loss over epochs", &loss_figure},
};

}  // namespace

std::span<const FigureKind> figure_kinds() {
  return kKinds;
}

const FigureKind& find_figure_kind(std::string_view name) {
  std::vector<std::string> known;
  for (const FigureKind& kind : kKinds) {
    if (kind.name == name) return kind;
    known.emplace_back(kind.name);
  }
  throw base::UsageError(base::unknown_name("figure", name, known));
}

}  // namespace dlscale::analysis
