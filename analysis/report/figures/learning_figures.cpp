// SPDX-License-Identifier: Apache-2.0
// Draws the figures about learning results: accuracy and loss over batch, epoch, time and cost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "analysis/report/figures/figure_parts.hpp"
#include "analysis/report/figures/figures.hpp"
#include "analysis/report/figures/quantity_figure.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

double all_train_s(const RunRow& run) {
  return run.epochs.empty() ? 0 : train_s(run, run.epochs.back().epoch);
}

/// Returns the training time in seconds until an evaluation first reached this accuracy. Returns an
/// empty value if no evaluation reached the accuracy, or if the log does not record the epoch of
/// that evaluation.
std::optional<double> time_to(const RunRow& run, double accuracy) {
  for (const EvalRow& eval : run.evals) {
    if (eval.accuracy < accuracy || std::isnan(eval.accuracy)) continue;
    return eval.epoch < 0 ? std::nullopt : std::optional(train_s(run, eval.epoch));
  }
  return std::nullopt;
}

/// Returns the number of training samples, counting a sample each time it was used, until an
/// evaluation first reached this accuracy. Returns an empty value if no evaluation reached the
/// accuracy, or if the number of samples of an epoch or the epoch of that evaluation is unknown.
std::optional<double> samples_to(const RunRow& run, double accuracy) {
  const std::int64_t an_epoch = run.size.steps_per_epoch * run.global_batch;
  for (const EvalRow& eval : run.evals) {
    if (eval.accuracy < accuracy) continue;
    if (an_epoch <= 0 || eval.epoch < 0) return std::nullopt;
    return static_cast<double>(an_epoch) * (eval.epoch + 1);
  }
  return std::nullopt;
}

/// Returns true if, at every point, at least half of the repeats reached the accuracy at the first
/// of several evaluations. The median time to such an accuracy is the time of the first evaluation,
/// whatever the runs learnt. An example is 10 % for ten classes, which a model reaches by guessing.
bool is_reached_at_once(const std::vector<AccuracyPoint>& points, double accuracy) {
  return std::ranges::all_of(points, [&](const AccuracyPoint& point) {
    const auto at_once = std::ranges::count_if(point.repeats, [&](const RunRow* run) {
      return run->evals.size() > 1 && run->evals.front().accuracy >= accuracy;
    });
    return 2 * static_cast<std::size_t>(at_once) >= point.repeats.size();
  });
}

/// Accuracy for which figures show the time or the samples until it was reached.
struct ComparedAccuracy {
  /// Highest target accuracy of the runs. If no run has a target accuracy, the highest whole
  /// percent that every run reached.
  double value = 0;
  /// Reason why figures do not show this accuracy. Empty if figures show it.
  std::string problem;
};

ComparedAccuracy compared_accuracy(const std::vector<AccuracyPoint>& points) {
  double target = 0;
  double reached = 1;
  for (const AccuracyPoint& point : points) {
    for (const RunRow* run : point.repeats) {
      for (const TargetRow& row : run->targets) {
        if (row.metric == "accuracy") target = std::max(target, row.threshold);
      }
      reached = std::min(reached, best_accuracy(*run));
    }
  }
  // The small addition prevents rounding errors from turning an accuracy of exactly 0.97 into 96 %.
  if (target > 0) return {target, ""};
  const double accuracy = std::floor(100 * reached + 1e-9) / 100;
  if (points.empty()) return {accuracy, ""};
  if (accuracy <= 0) {
    return {0,
            "not every run reached a test accuracy of 1 %; set target.accuracy in the study to "
            "compare the runs that reach it"};
  }
  if (!is_reached_at_once(points, accuracy)) return {accuracy, ""};
  return {accuracy, fmt::format("the highest whole percent that every run reached is {:g} %, and "
                                "most runs reached it at their first evaluation; set "
                                "target.accuracy in the study to compare a higher accuracy",
                                100 * accuracy)};
}

bool all_timed(const AccuracyPoint& point) {
  return std::all_of(point.repeats.begin(), point.repeats.end(),
                     [](const RunRow* run) { return all_train_s(*run) > 0; });
}

std::vector<AccuracyPoint> timed_points(const Frame& frame) {
  std::vector<AccuracyPoint> points = accuracy_points(frame);
  std::erase_if(points, [](const AccuracyPoint& point) { return !all_timed(point); });
  return points;
}

std::vector<CurveKey> keys_of(const std::vector<AccuracyPoint>& points) {
  std::vector<CurveKey> keys;
  for (const AccuracyPoint& point : points) keys.push_back(point.key);
  return keys;
}

/// Returns the keys of the lines over the global batch for a legend, in which all keys have the
/// same axes. If some lines have several batches per GPU, their batch per GPU reads "all on 2
/// GPUs".
std::vector<CurveKey> legend_keys(const std::vector<AccuracyPoint>& points,
                                  const std::string& worker) {
  std::vector<CurveKey> keys = batch_line_keys(points);
  std::string batch_axis;
  for (const CurveKey& key : keys) {
    for (const AxisValue& entry : key) {
      if (is_batch(entry.axis)) batch_axis = entry.axis;
    }
  }
  if (batch_axis.empty()) return keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto gpus = std::ranges::find(keys[i], kGpus, &AxisValue::axis);
    if (gpus == keys[i].end()) continue;
    *gpus = {batch_axis, "all on " + base::count_of(points[i].gpus, worker)};
  }
  return keys;
}

/// Adds a note for each point with diverged repeats, because figures do not show diverged repeats.
void add_diverged(std::vector<std::string>& notes, const Frame& frame) {
  std::vector<AccuracyPoint> points = accuracy_points(frame);
  for (AccuracyPoint& point : diverged_points(frame)) points.push_back(std::move(point));
  for (const AccuracyPoint& point : points) {
    if (point.diverged == 0) continue;
    const std::string batch =
        point.global_batch > 0 ? std::to_string(point.global_batch) : "unknown";
    notes.push_back(fmt::format("global batch {} of {}: {} of {} repeats diverged", batch,
                                name_among(point.key, {}), point.diverged,
                                point.diverged + point.repeats.size()));
  }
}

/// Indices of the series in a figure, by the text of their key.
using DrawnSeries = std::unordered_map<std::string, std::size_t>;

/// Returns the series of the figure with this key. Creates the series if it does not exist yet.
Series& learning_series_of(Figure& figure, DrawnSeries& drawn, Legend& legend,
                           const CurveKey& key) {
  const auto [place, is_new] = drawn.try_emplace(to_string(key), figure.series.size());
  return is_new ? figure.series.emplace_back(legend.series(key)) : figure.series[place->second];
}

/// Returns the Pareto front: the points for which no other point has a higher accuracy at the same
/// or a lower cost. x is the cost and y is the accuracy.
Series pareto_front(const std::vector<Series>& series) {
  std::vector<FigurePoint> points;
  for (const Series& one : series) {
    points.insert(points.end(), one.points.begin(), one.points.end());
  }
  std::sort(points.begin(), points.end(), [](const FigurePoint& a, const FigurePoint& b) {
    return std::pair(a.x, -a.y) < std::pair(b.x, -b.y);
  });
  Series front{"Pareto front", {}};
  for (const FigurePoint& point : points) {
    if (!front.points.empty() && point.y <= front.points.back().y) continue;
    front.points.push_back({point.x, point.y, {}});
  }
  return front;
}

}  // namespace

Figure accuracy_vs_batch_figure(const Frame& frame, const AnalysisOptions&) {
  const std::vector<AccuracyPoint> points = accuracy_points(frame);
  const std::vector<CurveKey> keys = legend_keys(points, worker_noun(frame));
  Legend legend(keys, worker_noun(frame));
  Figure figure;
  figure.title = fmt::format("Test accuracy by global batch of {}", frame.study);
  figure.subtitle = "after the last epoch; " + accuracy_subtitle(frame, points);
  figure.notes = figure_notes(frame);
  add_diverged(figure.notes, frame);
  figure.x = batch_axis();
  figure.y = {"accuracy_percent", "test accuracy (%)"};
  figure.legend_title = legend.title();
  DrawnSeries drawn;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (points[i].global_batch <= 0) continue;  // unknown batch
    const Estimate& accuracy = points[i].final_accuracy;
    learning_series_of(figure, drawn, legend, keys[i])
        .points.push_back({double(points[i].global_batch), 100 * accuracy.value,
                           bounds_of(accuracy.interval, 100)});
  }
  return figure;
}

Figure accuracy_vs_epoch_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure = quantity_figure(frame, options, {.names = {"accuracy"}, .x = "epoch"});
  figure.title = fmt::format("Accuracy by epoch of {}", frame.study);
  return figure;
}

Figure loss_figure(const Frame& frame, const AnalysisOptions& options) {
  Figure figure = quantity_figure(frame, options, {.names = {"loss"}, .x = "epoch"});
  figure.title = fmt::format("Loss by epoch of {}", frame.study);
  return figure;
}

Figure accuracy_vs_time_figure(const Frame& frame, const AnalysisOptions&) {
  const std::vector<AccuracyPoint> points = timed_points(frame);
  std::vector<CurveKey> keys;
  double longest_s = 0;
  for (const AccuracyPoint& point : points) {
    keys.push_back(with_gpus(point.key, point.gpus));
    for (const RunRow* run : point.repeats) longest_s = std::max(longest_s, all_train_s(*run));
  }
  Legend legend(keys, worker_noun(frame));
  const auto [axis, unit_s] = time_axis("training time", longest_s);
  Figure figure;
  figure.title = fmt::format("Test accuracy by training time of {}", frame.study);
  figure.subtitle = accuracy_subtitle(frame, points) + "; time excludes evaluation";
  figure.notes = figure_notes(frame);
  figure.x = axis;
  figure.y = {"accuracy_percent", "test accuracy (%)"};
  figure.legend_title = legend.title();
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::map<int, std::pair<std::vector<double>, std::vector<double>>> by_epoch;
    for (const RunRow* run : points[i].repeats) {
      for (const EvalRow& eval : run->evals) {
        if (!std::isfinite(eval.accuracy) || eval.epoch < 0) continue;
        by_epoch[eval.epoch].first.push_back(train_s(*run, eval.epoch) / unit_s);
        by_epoch[eval.epoch].second.push_back(100 * eval.accuracy);
      }
    }
    if (by_epoch.empty()) continue;
    Series series = legend.series(keys[i]);
    for (const auto& [epoch, values] : by_epoch) {
      series.points.push_back({median(values.first), median(values.second),
                               bounds_of(interval_of_median(values.second))});
    }
    figure.series.push_back(std::move(series));
  }
  return figure;
}

Figure time_to_accuracy_figure(const Frame& frame, const AnalysisOptions&) {
  const std::vector<AccuracyPoint> points = timed_points(frame);
  const auto [accuracy, problem] = compared_accuracy(points);
  const std::vector<CurveKey> keys = keys_of(points);
  const std::string worker = worker_noun(frame);
  Legend legend(keys, worker);
  Figure figure;
  figure.why_empty = problem;
  DrawnSeries drawn;
  std::size_t reached = 0;
  std::size_t runs = 0;
  for (const AccuracyPoint& point : points) {
    std::vector<double> times;
    for (const RunRow* run : point.repeats) {
      if (const auto time = time_to(*run, accuracy)) times.push_back(*time);
    }
    runs += point.repeats.size();
    reached += times.size();
    if (times.empty() || !problem.empty()) continue;
    learning_series_of(figure, drawn, legend, point.key)
        .points.push_back(
            {double(point.gpus), median(times), bounds_of(interval_of_median(times))});
  }
  figure.title =
      fmt::format("Training time to {:g} % test accuracy of {}", 100 * accuracy, frame.study);
  figure.subtitle =
      fmt::format("{}; {} of {} reached this accuracy", accuracy_subtitle(frame, points), reached,
                  base::count_of(runs, "run"));
  figure.notes = figure_notes(frame);
  figure.x = gpu_axis(worker);
  const auto [least, most] = y_span(figure);
  figure.y = value_axis("train_s", "training time (s)", least, most);
  figure.legend_title = legend.title();
  return figure;
}

Figure images_to_accuracy_figure(const Frame& frame, const AnalysisOptions&) {
  const std::vector<AccuracyPoint> points = accuracy_points(frame);
  const auto [accuracy, problem] = compared_accuracy(points);
  const std::vector<CurveKey> keys = legend_keys(points, worker_noun(frame));
  Legend legend(keys, worker_noun(frame));
  Figure figure;
  figure.why_empty = problem;
  DrawnSeries drawn;
  std::size_t reached = 0;
  std::size_t runs = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    std::vector<double> samples;
    for (const RunRow* run : points[i].repeats) {
      if (const auto found = samples_to(*run, accuracy)) samples.push_back(*found);
    }
    runs += points[i].repeats.size();
    reached += samples.size();
    if (samples.empty() || !problem.empty()) continue;
    learning_series_of(figure, drawn, legend, keys[i])
        .points.push_back({double(points[i].global_batch), median(samples),
                           bounds_of(interval_of_median(samples))});
  }
  figure.title =
      fmt::format("Training samples to {:g} % test accuracy of {}", 100 * accuracy, frame.study);
  figure.subtitle =
      fmt::format("{}; {} of {} reached this accuracy", accuracy_subtitle(frame, points), reached,
                  base::count_of(runs, "run"));
  figure.notes = figure_notes(frame);
  add_diverged(figure.notes, frame);
  figure.x = batch_axis();
  const auto [least, most] = y_span(figure);
  figure.y = value_axis("samples", "training samples", least, most);
  figure.legend_title = legend.title();
  return figure;
}

Figure pareto_figure(const Frame& frame, const AnalysisOptions&) {
  constexpr double kHour = 3600;
  const std::vector<AccuracyPoint> points = timed_points(frame);
  const std::vector<CurveKey> keys = keys_of(points);
  const std::string worker = worker_noun(frame);
  Legend legend(keys, worker);
  Figure figure;
  figure.title = fmt::format("Cost and test accuracy of {}", frame.study);
  figure.subtitle =
      fmt::format("point labels: number of {}s; {}", worker, accuracy_subtitle(frame, points));
  figure.notes = figure_notes(frame);
  figure.notes.push_back(fmt::format(
      "{0}-hours = {0}s x training time, excluding evaluation; median over repeats", worker));
  figure.legend_title = legend.title();
  figure.lines = false;
  figure.note_id = "gpus";
  DrawnSeries drawn;
  for (const AccuracyPoint& point : points) {
    std::vector<double> hours;
    for (const RunRow* run : point.repeats) {
      hours.push_back(all_train_s(*run) * point.gpus / kHour);
    }
    learning_series_of(figure, drawn, legend, point.key)
        .points.push_back({median(hours), 100 * point.final_accuracy.value,
                           bounds_of(point.final_accuracy.interval, 100),
                           std::to_string(point.gpus)});
  }
  figure.x = {"gpu_hours", worker + "-hours", 10};
  figure.y = {"accuracy_percent", "test accuracy (%)"};
  if (!figure.series.empty()) figure.ideal = pareto_front(figure.series);
  return figure;
}

}  // namespace dlscale::analysis
