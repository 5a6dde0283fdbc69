// SPDX-License-Identifier: Apache-2.0
// Parts that the figures of a study share. Private to analysis/report/figures/.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/report/figures/figure.hpp"
#include "analysis/report/figures/legend.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

/// Returns the bounds of an interval multiplied by `scale`, or an empty value for an estimate
/// without an interval.
std::optional<Bounds> bounds_of(const Interval& interval, double scale = 1);

/// Curves of a study with their baselines, legend and repeats.
struct Drawing {
  std::vector<ScalingCurve> curves;
  std::vector<BaselineChoice> choices;
  std::string worker;
  Legend legend;
  Repeats repeats;

  Drawing(const Frame& frame, const AnalysisOptions& options)
      : curves(scaling_curves(frame)),
        choices(choose_baselines(curves, options.baseline, options.allow_mixed)),
        worker(worker_noun(frame)),
        legend(keys_of(curves), worker),
        repeats(repeats_of(curves)) {}
};

/// Returns a text such as "n = 3" or "n = 2-5".
std::string repeats_words(const Repeats& repeats);

/// Returns a text such as "median of n = 3, bars: range". `drawn` names the shape that bounds are
/// drawn as.
std::string short_statistic(const Repeats& repeats, const std::string& drawn = "bars");

std::string short_mode(const Frame& frame);

/// Returns the notes that a figure's CSV file contains about its runs.
std::vector<std::string> figure_notes(const Frame& frame);

/// Returns a logarithmic axis "GPUs" or "ranks" in powers of two.
FigureAxis gpu_axis(const std::string& worker);

/// Returns `key` with the GPU count as an additional axis.
CurveKey with_gpus(CurveKey key, int gpus);

/// Returns a text such as "weak scaling; median of n = 3, bars: range".
std::string accuracy_subtitle(const Frame& frame, const std::vector<AccuracyPoint>& points);

/// Axis of seconds, or of hours if the longest time is several hours.
struct TimeAxis {
  FigureAxis axis;
  double seconds = 1;  ///< number of seconds in the axis' unit
};
TimeAxis time_axis(const std::string& title, double longest_s);

/// Returns an axis for values from `least` to `most`. The axis is logarithmic if the values span a
/// wide range.
FigureAxis value_axis(const std::string& id, const std::string& title, double least, double most);

}  // namespace dlscale::analysis
