// SPDX-License-Identifier: Apache-2.0
// Code that several figures of a study use. Private to analysis/report/figures/.
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

/// Returns the ends of an interval, multiplied by `scale`. Returns an empty value if the interval
/// has the kind None.
std::optional<Bounds> bounds_of(const Interval& interval, double scale = 1);

/// Curves of a study with the data that figures need for them: baselines, the word for a worker,
/// the legend and the numbers of repeats.
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

/// Returns a text with the number of repeats, such as "n = 3" or "n = 2-5".
std::string repeats_words(const Repeats& repeats);

/// Returns a short text on the statistic, such as "median of n = 3, bars: range". `drawn` is the
/// word for the shape with which bounds are drawn: "bars" or "band".
std::string short_statistic(const Repeats& repeats, const std::string& drawn = "bars");

std::string short_mode(const Frame& frame);

/// Returns the notes about the runs of a figure. CSV and LaTeX files contain them as comments.
std::vector<std::string> figure_notes(const Frame& frame);

/// Returns a logarithmic x axis for GPU counts, with base 2. Its title is "GPUs" or "ranks".
FigureAxis gpu_axis(const std::string& worker);

/// Returns a logarithmic x axis for global batches, with base 2.
FigureAxis batch_axis();

/// Returns `key` with the GPU count as an additional axis.
CurveKey with_gpus(CurveKey key, int gpus);

/// Returns the subtitle of a figure of accuracies, such as "weak scaling; median of n = 3, bars:
/// range". If only one of several plan folders has accuracies, the subtitle begins with its name:
/// "only juwels; weak scaling; …".
std::string accuracy_subtitle(const Frame& frame, const std::vector<AccuracyPoint>& points);

/// Returns the training time of the epochs up to and including `last_epoch`, in seconds and without
/// evaluations.
double train_s(const RunRow& run, int last_epoch);

/// Axis for times. Its unit is seconds, or hours if the longest time exceeds two hours.
struct TimeAxis {
  FigureAxis axis;
  double seconds = 1;  ///< number of seconds in one unit of the axis
};
TimeAxis time_axis(const std::string& title, double longest_s);

/// Returns an axis for values from `least` to `most`. The axis is logarithmic if `most` is more
/// than 16 times `least`. Otherwise it is linear and starts at 0.
FigureAxis value_axis(const std::string& id, const std::string& title, double least, double most);

}  // namespace dlscale::analysis
