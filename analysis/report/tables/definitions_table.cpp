// SPDX-License-Identifier: Apache-2.0
// The throughput of the same runs by the definitions that studies use.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "analysis/metrics/scaling/recorded.hpp"
#include "analysis/metrics/statistics/bootstrap.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/tables/headings.hpp"
#include "analysis/report/tables/table_parts.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {
namespace {

/// Of a point, in seconds a step, for each repeat.
struct StepTimes {
  std::vector<double> load;       ///< waiting for data, mean over the ranks
  std::vector<double> rest;       ///< all other parts, likewise
  std::vector<double> rank_mean;  ///< both
  std::vector<double> slowest;    ///< slowest rank
  double batch = 0;               ///< samples of a step, all ranks
  bool tells_load = true;         ///< false: nobody measured it, and `rest` is all
  bool tells_all_steps = true;    ///< false: times are those of samples

  explicit StepTimes(const CurvePoint& point)
      : tells_load(tells(point.repeats, contract::StepPart::load_wait)),
        tells_all_steps(tells_steps(point.repeats)) {
    double samples = 0, steps = 0;
    for (const RunRow* run : point.repeats) {
      const auto& parts = run->steps.parts_s;
      const auto count = static_cast<double>(run->steps.steps);
      const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
      const double whole = sum > 0 ? sum : run->steps.wall_s;
      load.push_back(parts[int(contract::StepPart::load_wait)] / count);
      rest.push_back(whole / count - load.back());
      rank_mean.push_back(whole / count);
      slowest.push_back(step_time_s(*run));
      samples += static_cast<double>(run->steps.samples);
      steps += count;
    }
    batch = samples / steps;
  }
};

/// Of an interval of times.
Interval rate_of(const Interval& seconds) {
  if (seconds.kind == Interval::Kind::None) return seconds;
  return {seconds.kind, 1 / seconds.high, 1 / seconds.low};
}

/// The mean without the smallest and the largest; nothing for less than three.
std::optional<double> olympic_mean(const std::vector<double>& values) {
  const std::vector<std::size_t> out = left_out(values, OutlierPolicy::Olympic);
  if (out.size() != 2) return std::nullopt;
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::find(out.begin(), out.end(), i) == out.end()) kept.push_back(values[i]);
  }
  return mean(kept);
}

std::string outlying_repetitions(const CurvePoint& point, const StepTimes& times) {
  std::vector<int> outlying;
  for (const std::size_t i : left_out(times.slowest, OutlierPolicy::Mad)) {
    outlying.push_back(point.repeats[i]->repetition);
  }
  std::sort(outlying.begin(), outlying.end());
  return fmt::format("{}", fmt::join(outlying, " "));
}

std::vector<Column> definition_columns_of(const Repeats& repeats) {
  const std::string median_id = "throughput_median_samples_per_s";
  return {{"n", "n"},
          {"batch", "batch", "", 0},
          {"load_s", "load", "s", 4},
          {"rest_s", "rest", "s", 4},
          {"throughput_mean_samples_per_s", "by the mean", "samples/s", 2},
          {"throughput_olympic_samples_per_s", "olympic", "samples/s", 2},
          {"slowest_rank_s", "slowest rank", "s", 4},
          {median_id, "by the median", "samples/s", 2},
          {median_id, interval_title(repeats), "samples/s", 1, 1, true},
          {"throughput_bootstrap_samples_per_s", "bootstrap", "samples/s", 1, 1, true},
          {"outlying_repetitions", "outliers"}};
}

}  // namespace

Table definitions_table(const Frame& frame, const AnalysisOptions&) {
  const std::vector<ScalingCurve> curves = scaling_curves(frame);
  const Start start(frame, keys_of(curves));
  const Repeats repeats = repeats_of(curves);
  std::vector<std::string> notes{
      describe_mode(frame), describe_statistic(repeats),
      "by the mean = batch / (mean load + mean rest), over all ranks of all repeats; olympic = "
      "batch / mean over repeats of the ranks' mean time, without the fastest and the slowest; by "
      "the median = batch / median over repeats of the slowest rank's time; bootstrap = the 2.5 "
      "and 97.5 % quantiles of that median over all resamples of the repeats, from n = 6 on, which "
      "often cover less than 95 %",
      fmt::format("outliers: repetitions whose slowest rank's time has a modified z beyond {} (by "
                  "the median absolute deviation); they count in every column",
                  kOutlyingZ)};
  add_frame_notes(notes, frame);
  Table table =
      begin_table(start, "definitions", "Throughput by several definitions of " + frame.study,
                  std::move(notes), definition_columns_of(repeats));
  for (const ScalingCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      const StepTimes times(point);
      const Estimate by_median = throughput(point);
      const std::optional<double> olympic = olympic_mean(times.rank_mean);
      Row row = start.row(curve.key, point.gpus);
      row.number(static_cast<double>(by_median.n));
      times.tells_all_steps ? row.number(times.batch) : row.nothing();
      if (times.tells_load && times.tells_all_steps) {
        row.number(mean(times.load)).number(mean(times.rest));
      } else {
        row.nothing().nothing();
      }
      row.number(times.batch / mean(times.rank_mean));
      olympic ? row.number(times.batch / *olympic) : row.nothing();
      times.tells_all_steps ? row.number(median(times.slowest)) : row.nothing();
      row.number(by_median.value).interval(by_median.interval);
      row.interval(rate_of(bootstrap_interval_of_median(point.seconds_per_sample)));
      row.text(outlying_repetitions(point, times)).into(table);
    }
  }
  return table;
}

}  // namespace dlscale::analysis
