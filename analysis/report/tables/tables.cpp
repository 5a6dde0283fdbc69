// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/tables/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/accuracy_loss.hpp"
#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/scaling/run_points.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/warnings.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the notes of a table: the scaling mode, the text `statistic`, the origin of the numbers,
/// and the notes of add_frame_notes.
std::vector<std::string> notes_of(const Frame& frame, const std::vector<ScalingCurve>& curves,
                                  const std::string& statistic) {
  std::vector<std::string> notes{describe_mode(frame), statistic};
  if (const std::string origin = describe_origin(curves); !origin.empty()) {
    notes.push_back(origin);
  }
  add_frame_notes(notes, frame);
  return notes;
}

/// Curves with their baselines and notes. The tables of speed-up and of efficiency use these
/// curves.
struct ComparedCurves {
  std::vector<ScalingCurve> curves;
  std::vector<BaselineChoice> choices;
  std::vector<RunPoint> failed;
  Start start;
  Repeats repeats;

  ComparedCurves(const Frame& frame, const AnalysisOptions& options)
      : curves(scaling_curves(frame)),
        choices(choose_baselines(curves, options.baseline, options.allow_mixed)),
        failed(failed_next_to(curves, frame)),
        start(frame, keys_of(curves, failed)),
        repeats(repeats_of(curves)) {}

  std::vector<std::string> notes(const Frame& frame, const AnalysisOptions& options) const {
    std::vector<std::string> notes = notes_of(frame, curves, describe_statistic(repeats));
    notes.insert(notes.begin(), describe_baseline(choices, options.baseline, start.worker));
    for (const std::string& problem : describe_problems(choices)) notes.push_back(problem);
    add_warnings(notes);
    add_cautions(notes, curves);
    return notes;
  }

 private:
  void add_warnings(std::vector<std::string>& notes) const {
    for (const std::string& text : describe_mixtures(curves, choices)) notes.push_back(text);
    std::string superlinear;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (!choices[i].baseline) continue;
      const std::string name = name_among(curves[i].key, start.axes);
      for (const CurvePoint& point : curves[i].points) {
        if (efficiency(point, *choices[i].baseline).value <= kPlausibleEfficiency) continue;
        superlinear +=
            fmt::format("{}{} at gpus={}", superlinear.empty() ? "" : "; ", name, point.gpus);
      }
    }
    if (superlinear.empty()) return;
    notes.push_back(
        "warning: more than 5 % better than ideal (caches, an outlier or a disturbed "
        "baseline?): " +
        superlinear);
  }
};

void add_efficiency_row(Row& row, const CurvePoint& point,
                        const std::optional<Baseline>& baseline) {
  std::vector<double> step_times;
  for (const RunRow* run : point.repeats) step_times.push_back(step_time_s(*run));
  row.number(point.nodes).number(static_cast<double>(point.repeats.size()));
  row.number(throughput(point).value);
  tells_steps(point.repeats) ? row.number(median(step_times)) : row.nothing();
  if (!baseline) {
    row.nothing().nothing().nothing().nothing();
    return;
  }
  const Estimate e = efficiency(point, *baseline);
  row.number(speedup(point, *baseline).value).number(ideal_speedup(point, *baseline));
  row.number(e.value).interval(e.interval);
}

}  // namespace

Table efficiency_table(const Frame& frame, const AnalysisOptions& options) {
  const ComparedCurves compared(frame, options);
  Table table = begin_table(compared.start, "efficiency", "Parallel efficiency of " + frame.study,
                            compared.notes(frame, options),
                            {{"nodes", "nodes"},
                             {"n", "n"},
                             {"throughput_samples_per_s", "throughput", "samples/s", 1},
                             {"step_time_s", "step", "ms", 2, 1000},
                             {"speedup", "speed-up", "", 3},
                             {"ideal_speedup", "ideal", "", 2},
                             {"efficiency", "efficiency", "", 3},
                             {"efficiency", interval_title(compared.repeats), "", 3, 1, true}});
  table.notes_in_caption = 3;  // the baseline is one of the notes
  const bool uneven = !describe_uneven_batches(frame).empty();
  if (uneven) table.columns.push_back({"real_global_batch", "real global batch"});
  PointRows rows(frame);
  for (std::size_t i = 0; i < compared.curves.size(); ++i) {
    for (const CurvePoint& point : compared.curves[i].points) {
      Row row = compared.start.row(compared.curves[i].key, point.gpus);
      add_efficiency_row(row, point, compared.choices[i].baseline);
      if (uneven) row.number(static_cast<double>(point.repeats.front()->global_batch));
      rows.add(compared.curves[i].key, point.gpus, std::move(row));
    }
  }
  rows.add_failed(table, compared.start, compared.failed);
  rows.into(table);
  return table;
}

Table speedup_table(const Frame& frame, const AnalysisOptions& options) {
  const ComparedCurves compared(frame, options);
  Table table = begin_table(compared.start, "speedup", "Speed-up of " + frame.study,
                            compared.notes(frame, options),
                            {{"baseline_gpus", "baseline"},
                             {"n", "n"},
                             {"speedup", "speed-up", "", 3},
                             {"speedup", interval_title(compared.repeats), "", 3, 1, true},
                             {"ideal_speedup", "ideal", "", 2},
                             {"serial_fraction", "Karp-Flatt serial fraction", "", 4}});
  table.notes_in_caption = 3;  // the baseline is one of the notes
  for (std::size_t i = 0; i < compared.curves.size(); ++i) {
    if (!compared.choices[i].baseline) continue;
    const Baseline& baseline = *compared.choices[i].baseline;
    for (const CurvePoint& point : compared.curves[i].points) {
      const Estimate s = speedup(point, baseline);
      Row row = compared.start.row(compared.curves[i].key, point.gpus);
      row.number(baseline.gpus()).number(static_cast<double>(s.n));
      row.number(s.value).interval(s.interval).number(ideal_speedup(point, baseline));
      row.number(karp_flatt(point, baseline)).into(table);
    }
  }
  return table;
}

Table throughput_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const std::vector<RunPoint> failed = failed_next_to(curves, frame);
  const Start start(frame, keys_of(curves, failed));
  const Repeats repeats = repeats_of(curves);
  const std::string id = "throughput_samples_per_s";
  Table table =
      begin_table(start, "throughput", "Throughput of " + frame.study,
                  notes_of(frame, curves, describe_statistic(repeats)),
                  {{"n", "n"},
                   {id, "throughput", "samples/s", 1},
                   {id, interval_title(repeats), "samples/s", 1, 1, true},
                   {"throughput_per_gpu_samples_per_s", "per " + start.worker, "samples/s", 1},
                   {"variation", "variation", "%", 1, 100},
                   {"epoch_time_s", "epoch", "s", 2}});
  table.notes.push_back("variation = standard deviation / mean of the time per sample");
  add_cautions(table.notes, curves);
  PointRows rows(frame);
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      const Estimate x = throughput(point);
      const std::vector<double>& times = point.seconds_per_sample;
      std::vector<double> epochs;
      for (const RunRow* run : point.repeats) {
        if (const auto time = epoch_time_s(*run)) epochs.push_back(*time);
      }
      Row row = start.row(curve.key, point.gpus);
      row.number(static_cast<double>(x.n)).number(x.value).interval(x.interval);
      row.number(x.value / point.gpus);
      x.n > 1 ? row.number(standard_deviation(times) / mean(times)) : row.nothing();
      epochs.empty() ? row.nothing() : row.number(median(epochs));
      rows.add(curve.key, point.gpus, std::move(row));
    }
  }
  rows.add_failed(table, start, failed);
  rows.into(table);
  return table;
}

Table breakdown_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  std::vector<Column> columns{{"n", "n"}, {"step_time_s", "step", "ms", 2, 1000}};
  for (const std::string part : contract::kStepPartNames) {
    columns.push_back({part + "_share", part, "%", 1, 100});
  }
  columns.push_back({"closure", "closure", "%", 1, 100});
  const std::vector<Breakdown> parts = breakdowns(curves);
  const bool any_waits = std::ranges::any_of(
      parts, [](const Breakdown& one) { return one.load_wait_s_per_epoch.has_value(); });
  const bool any_busy = std::ranges::any_of(
      parts, [](const Breakdown& one) { return one.loader_busy_s_per_epoch.has_value(); });
  if (any_waits) columns.push_back({"load_wait_s_per_epoch", "load_wait/epoch", "s", 3});
  if (any_busy) columns.push_back({"loader_busy_s_per_epoch", "loader busy/epoch", "s", 3});
  Table table = begin_table(start, "breakdown", "Breakdown of the step time in " + frame.study,
                            notes_of(frame, curves, "sums over the n repeats of a point"), columns);
  table.notes.push_back(
      "parts are means over the ranks, in % of their sum; closure = sum of the parts / wall time "
      "of the slowest rank");
  if (any_busy) {
    table.notes.emplace_back(
        "loader busy/epoch = working time of the loader's threads of a rank in an epoch, summed "
        "over its threads; the steps hide this time unless they wait for data (load_wait)");
  }
  for (const std::string& text : {describe_untold_parts(parts), caution_of_closure(parts)}) {
    if (!text.empty()) table.notes.push_back(text);
  }
  for (const Breakdown& breakdown : parts) {
    Row row = start.row(breakdown.key, breakdown.gpus);
    row.number(static_cast<double>(breakdown.n));
    breakdown.tells_steps ? row.number(breakdown.step_time_s) : row.nothing();
    for (std::size_t i = 0; i < breakdown.share.size(); ++i) {
      breakdown.reported[i] ? row.number(breakdown.share[i]) : row.nothing();
    }
    row.number(breakdown.closure);
    if (any_waits) row.number(breakdown.load_wait_s_per_epoch);
    if (any_busy) row.number(breakdown.loader_busy_s_per_epoch);
    row.into(table);
  }
  return table;
}

Table accuracy_table(const Frame& frame, const AnalysisOptions&) {
  std::vector<AccuracyPoint> points = accuracy_points(frame);
  const Repeats repeats = repeats_of(points);
  for (AccuracyPoint& point : diverged_points(frame)) points.push_back(std::move(point));
  const bool any_diverged = std::any_of(points.begin(), points.end(),
                                        [](const auto& point) { return point.diverged > 0; });
  std::vector<CurveKey> keys;
  for (AccuracyPoint& point : points) {
    // The batches are removed from the key because they have their own columns in this table.
    std::erase_if(point.key, [](const AxisValue& entry) {
      return entry.axis == "batch_per_gpu" || entry.axis == "global_batch";
    });
    keys.push_back(point.key);
  }
  std::stable_sort(points.begin(), points.end(), [&](const auto& a, const auto& b) {
    return std::tuple(rank_of(frame, a.key), a.global_batch, a.gpus) <
           std::tuple(rank_of(frame, b.key), b.global_batch, b.gpus);
  });
  const Start start(frame, keys);
  std::vector<Column> columns{
      {.id = "batch_per_gpu", .title = "batch/" + start.worker, .is_key = true},
      {.id = "global_batch", .title = "global batch", .is_key = true},
      {.id = "lr_peak", .title = "peak LR", .decimals = 4, .is_key = true},
      {"n", "n"}};
  if (any_diverged) columns.push_back({"diverged", "diverged"});
  columns.push_back({"final_accuracy", "final", "%", 2, 100});
  columns.push_back({"final_accuracy", interval_title(repeats), "%", 2, 100, true});
  columns.push_back({"best_accuracy", "best", "%", 2, 100});
  Table table = begin_table(
      start, "accuracy", "Test accuracy by global batch of " + frame.study,
      {describe_mode(frame), describe_statistic(repeats),
       "top-1 on the test set; final = after the last epoch, best = highest of all epochs"},
      columns);
  if (any_diverged) {
    table.notes.push_back(
        "diverged: number of further repeats, which are excluded from n and from the accuracies");
  }
  for (const AccuracyLosses& group : accuracy_losses(points)) {
    if (group.mixed.empty()) continue;
    table.notes.push_back("accuracies are not comparable: " + group.mixed);
    break;
  }
  add_frame_notes(table.notes, frame);
  for (const AccuracyPoint& point : points) {
    const Estimate& final_accuracy = point.final_accuracy;
    Row row = start.row(point.key, point.gpus);
    for (const double reported : {static_cast<double>(point.batch_per_gpu),
                                  static_cast<double>(point.global_batch), point.lr_peak}) {
      // 0 means that a third-party log does not record the value.
      reported > 0 ? row.number(reported) : row.nothing();
    }
    row.number(static_cast<double>(final_accuracy.n));
    if (any_diverged) row.number(static_cast<double>(point.diverged));
    if (final_accuracy.n == 0) {
      row.nothing().nothing().nothing().into(table);
      continue;
    }
    row.number(final_accuracy.value).interval(final_accuracy.interval);
    row.number(point.best_accuracy).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
