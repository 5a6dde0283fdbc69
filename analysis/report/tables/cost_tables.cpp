// SPDX-License-Identifier: Apache-2.0
// Builds the tables of cost: GPU-hours and energy, largest worthwhile GPU counts, and recommended
// configurations for a budget of GPUs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/metrics/scaling/breakdown.hpp"
#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/metrics/scaling/knee.hpp"
#include "analysis/metrics/scaling/recommendation.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/captions.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"
#include "analysis/report/tables/warnings.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

// Tables of GPU-hours and of the largest GPU counts that are worthwhile.

namespace {

std::optional<double> hours_per_epoch(const CurvePoint& point) {
  const std::int64_t samples = point.repeats.front()->size.train_samples;
  if (samples <= 0) return std::nullopt;
  return median(point.seconds_per_sample) * point.gpus * static_cast<double>(samples) / kHour;
}

/// Returns the interval of the samples per GPU-hour. `seconds` is the interval of the time per
/// sample on `gpus` GPUs.
Interval per_hour(const Interval& seconds, int gpus) {
  if (seconds.kind == Interval::Kind::None) return seconds;
  return {seconds.kind, kHour / (seconds.high * gpus), kHour / (seconds.low * gpus)};
}

std::string knee_meaning_of(const Knee& knee, const std::string& worker) {
  return fmt::format("use at most {}{}{}", base::count_of(knee.gpus, worker),
                     knee.largest ? " (the largest count measured)" : "",
                     knee.low ? "" : fmt::format("; no interval for n < {}", kFewestForInterval));
}

/// Demand that the points up to a knee meet, and the reference that the demand is relative to, both
/// as text. A knee is the largest GPU count up to which all points meet the demand.
struct KneeDemand {
  std::string text;
  std::string against;
};

void add_knee(Table& table, Row row, const KneeDemand& demand, const Knee& knee,
              const std::string& worker) {
  row.text(demand.text).text(demand.against);
  if (knee.low) {
    row.interval({Interval::Kind::Confidence95, double(*knee.low), double(*knee.high)});
    row.number(knee.support);
  } else {
    row.nothing().nothing();
  }
  row.text(knee_meaning_of(knee, worker)).into(table);
}

/// Returns the points with an accuracy, grouped by curve. The map's key is the text of the curve's
/// key. The points of a curve ascend in GPU count.
std::map<std::string, std::vector<AccuracyPoint>> accuracies_by_key(const Frame& frame) {
  std::map<std::string, std::vector<AccuracyPoint>> by_key;
  for (AccuracyPoint& point : accuracy_points(frame)) {
    std::string key = to_string(point.key);
    by_key[std::move(key)].push_back(std::move(point));
  }
  return by_key;
}

std::vector<Column> cost_columns_of(const Repeats& repeats, const std::string& worker,
                                    bool any_energy) {
  const std::string hours = worker + "-h";
  const std::string rate = "samples_per_gpu_hour";
  std::vector<Column> columns{{"n", "n"},
                              {rate, "samples/" + hours, "", 0},
                              {rate, interval_title(repeats), "", 0, 1, true},
                              {"gpu_hours_per_epoch", "epoch", hours, 4},
                              {"gpu_hours_spent", "spent", hours, 3},
                              {"gpu_hours_lost", "lost", hours, 3}};
  if (!any_energy) return columns;
  constexpr double kJoulesOfWh = 3600;
  const std::vector<Column> energy{{"n_energy", "n (energy)"},
                                   {"mean_power_w", "power", "W", 0},
                                   {"energy_j_per_sample", "energy/sample", "J", 4},
                                   {"energy_j_per_epoch", "energy/epoch", "Wh", 2, 1 / kJoulesOfWh},
                                   {"energy_j", "energy/run", "Wh", 2, 1 / kJoulesOfWh}};
  columns.insert(columns.end(), energy.begin(), energy.end());
  return columns;
}

void add_energy(Row& row, const CurvePoint& point, const PointEnergy& energy) {
  row.number(static_cast<double>(energy.n));
  if (energy.n == 0) {
    row.nothing().nothing().nothing().nothing();
    return;
  }
  const auto samples = static_cast<double>(point.repeats.front()->size.train_samples);
  row.number(energy.power_w).number(energy.joules_a_sample);
  samples > 0 ? row.number(energy.joules_a_sample * samples) : row.nothing();
  row.number(energy.run_j);
}

bool any_tells_energy(const std::vector<ScalingCurve>& curves) {
  return std::any_of(curves.begin(), curves.end(), [](const ScalingCurve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [](const CurvePoint& point) { return energy_of(point).n > 0; });
  });
}

}  // namespace

Table cost_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  const Repeats repeats = repeats_of(curves);
  const bool any_energy = any_tells_energy(curves);
  std::vector<std::string> notes{
      describe_mode(frame), describe_statistic(repeats),
      "samples per " + start.worker + "-hour = samples / (time x " + start.worker +
          "s), from training steps only; spent: training time of all repeats, including lost time; "
          "lost: time of work that was repeated or abandoned"};
  if (any_energy) {
    notes.emplace_back(
        "energy of whole jobs as recorded by the batch system, median over the repeats that record "
        "it; power = energy / elapsed time of the job; energy/sample = power x training time of a "
        "sample");
  }
  add_frame_notes(notes, frame);
  Table table = begin_table(start, "cost", "Cost of " + frame.study, std::move(notes),
                            cost_columns_of(repeats, start.worker, any_energy));
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      double kept_s = 0;
      double lost_s = 0;
      for (const RunRow* run : point.repeats) {
        kept_s += run->spent.kept_s * run->gpus;
        lost_s += run->spent.lost_s * run->gpus;
      }
      const std::vector<double>& times = point.seconds_per_sample;
      Row row = start.row(curve.key, point.gpus);
      row.number(static_cast<double>(times.size()));
      row.number(kHour / (median(times) * point.gpus));
      row.interval(per_hour(interval_of_median(times), point.gpus));
      row.number(hours_per_epoch(point));
      if (kept_s + lost_s > 0) {
        row.number((kept_s + lost_s) / kHour).number(lost_s / kHour);
      } else {
        // Logs that contain only rates do not contain the duration of the training.
        row.nothing().nothing();
      }
      if (any_energy) add_energy(row, point, energy_of(point));
      row.into(table);
    }
  }
  return table;
}

Table knee_table(const Frame& frame, const AnalysisOptions& options) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const std::vector<BaselineChoice> choices =
      choose_baselines(curves, options.baseline, options.allow_mixed);
  const Start start(frame, keys_of(curves));
  const bool absolute = !chosen_values(options.baseline).empty();
  std::vector<std::string> notes{
      absolute ? describe_baseline(choices, options.baseline, start.worker)
               : "baseline: the smallest number of " + start.worker +
                     "s of each curve, independent of other curves",
      describe_mode(frame), describe_statistic(repeats_of(curves)),
      "advice: the largest measured count up to which the medians of all points meet the demand; "
      "interval (from n = 6 on): contains the advice from 95 % of 2000 bootstrap resamples; "
      "support: share of the resamples with the same advice"};
  for (const std::string& problem : describe_problems(choices)) notes.push_back(problem);
  for (const std::string& text : describe_mixtures(curves, choices)) notes.push_back(text);
  add_cautions(notes, curves);
  if (const std::string text = caution_of_unrepeated(curves); !text.empty()) notes.push_back(text);
  add_frame_notes(notes, frame);
  Table table =
      begin_table(start, "knee", "Worthwhile number of " + start.worker + "s in " + frame.study,
                  std::move(notes),
                  {{.id = "demand", .title = "demand", .is_key = true},
                   {"against", "against"},
                   {"knee_gpus", "95 % interval", "", 0, 1, true},
                   {"support", "support", "%", 0, 100},
                   {"advice", "advice"}});
  table.notes_in_caption = 3;  // note of the baseline, in addition to the two usual notes
  std::map<std::string, std::vector<AccuracyPoint>> accuracies = accuracies_by_key(frame);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (choices[i].baseline) {
      const Knee knee = efficiency_knee(curves[i], *choices[i].baseline, options.min_efficiency);
      add_knee(table, start.row(curves[i].key, knee.gpus),
               {fmt::format("efficiency >= {}", options.min_efficiency),
                knee_reference(curves[i], *choices[i].baseline).label(start.worker)},
               knee, start.worker);
    }
    const std::vector<AccuracyPoint>& own = accuracies[to_string(curves[i].key)];
    if (own.size() < 2) continue;
    const Knee knee = accuracy_knee(own, kBearableAccuracyLoss);
    add_knee(table, start.row(curves[i].key, knee.gpus),
             {fmt::format("accuracy loss <= {} %", 100 * kBearableAccuracyLoss),
              base::count_of(own.front().gpus, start.worker)},
             knee, start.worker);
  }
  return table;
}

// Table of recommended configurations for a budget of GPUs.

namespace {

/// Returns true if each value of the axis has its own recommendations.
bool divides_recommendations(const std::string& axis, const std::vector<Recommendation>& list) {
  return changes_work(axis) ||
         (!list.empty() && axis == kSource && !value_of(list.front().work, axis).empty());
}

/// Returns the names of configurations, such as "framework=ddp, gpus=4; framework=ddp, gpus=8". A
/// name contains the `axes` that distinguish the configuration from others that do the same work.
/// `name_of` returns the shown name of an axis.
template <class NameOf>
std::string recommended_names(const std::vector<Contestant>& list,
                              const std::vector<std::string>& axes, NameOf name_of) {
  std::vector<std::string> names;
  for (const Contestant& one : list) {
    std::string& name = names.emplace_back();
    for (const std::string& axis : axes) {
      name += fmt::format("{}={}, ", name_of(axis), value_of(one.key, axis));
    }
    name += fmt::format("gpus={}", one.gpus);
  }
  return fmt::format("{}", fmt::join(names, "; "));
}

std::vector<Column> recommended_columns_of(const std::vector<std::string>& work_axes,
                                           const Start& start) {
  const std::string& worker = start.worker;
  std::vector<Column> columns;
  for (const std::string& axis : work_axes) {
    columns.push_back(
        {.id = axis, .title = axis_title(axis, worker, start.all_axes), .is_key = true});
  }
  columns.push_back({.id = "budget_gpus", .title = "at most " + worker + "s", .is_key = true});
  columns.push_back({"fastest", "fastest"});
  columns.push_back({"n", "n"});
  columns.push_back({"throughput_samples_per_s", "throughput", "samples/s", 1});
  columns.push_back({"samples_per_gpu_hour", "samples/" + worker + "-h"});
  columns.push_back({"equal_p", "p equal", "", 4, 1, false, true});
  columns.push_back({"as_fast", "perhaps as fast"});
  columns.push_back({"untested", "too few repeats to tell"});
  columns.push_back({"best_gpus", "best " + worker + "s"});
  columns.push_back({"best_gpus_by_mean", "best by the mean"});
  return columns;
}

}  // namespace

Table recommend_table(const Frame& frame, const AnalysisOptions& options) {
  std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  std::vector<std::string> notes{
      describe_mode(frame), describe_statistic(repeats_of(curves)),
      "fastest: the highest throughput with at most the given number of " + start.worker +
          "s; perhaps as fast: configurations that the repeats cannot distinguish from the fastest "
          "(Mann-Whitney, Holm, 5 %), which does not prove equal speed, those with the fewest " +
          start.worker +
          "s first; too few repeats to tell: configurations with too few repeats for a significant "
          "difference; p equal: p value of the hypothesis that all configurations in the budget "
          "are equally fast (Mann-Whitney for two configurations; Kruskal-Wallis for more, which "
          "can find a difference although no pair differs significantly)",
      "best " + start.worker + "s: number of " + start.worker +
          "s with the highest throughput for the same work in any budget, by the median and by "
          "the mean of the repeats"};
  std::erase_if(curves, [&](const ScalingCurve& curve) {
    if (curve.mixed.empty() || options.allow_mixed) return false;
    notes.push_back(fmt::format("{}: omitted, {} (use --mixed to include it)",
                                name_among(curve.key, start.axes), curve.mixed));
    return true;
  });
  add_cautions(notes, curves);
  if (const std::string text = caution_of_unrepeated(curves); !text.empty()) notes.push_back(text);
  add_frame_notes(notes, frame);
  Table table{
      "recommend", "Recommended configurations in " + frame.study, std::move(notes), {}, {}};
  std::vector<std::string> work_axes, other_axes;
  const std::vector<Recommendation> list = recommendations(curves);
  for (const std::string& axis : start.axes) {
    (divides_recommendations(axis, list) ? work_axes : other_axes).push_back(axis);
  }
  if (!list.empty() && !value_of(list.front().work, "device").empty()) {
    work_axes.emplace_back("device");
  }
  table.columns = recommended_columns_of(work_axes, start);
  const auto add_names = [&](Row& row, const std::vector<Contestant>& named) {
    row.axes_text([&](auto name_of) { return recommended_names(named, other_axes, name_of); },
                  start.all_axes);
  };
  for (const Recommendation& one : list) {
    Row row;
    for (const std::string& axis : work_axes) row.text(value_of(one.work, axis));
    const double per_s = 1 / median(one.fastest.seconds_per_sample);
    row.number(one.budget_gpus);
    add_names(row, {one.fastest});
    row.number(static_cast<double>(one.fastest.seconds_per_sample.size()));
    row.number(per_s).number(per_s * 3600 / one.fastest.gpus).number(one.equal_p);
    add_names(row, one.as_fast);
    add_names(row, one.untested);
    row.number(one.best_gpus).number(one.best_gpus_by_mean).into(table);
  }
  return table;
}

}  // namespace dlscale::analysis
