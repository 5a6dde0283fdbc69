// SPDX-License-Identifier: Apache-2.0
// Private to analysis/report/figures/: what the figures of a study are put together from.
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

/// Of an estimate, if it has any; `scale` times as large.
std::optional<Bounds> bounds_of(const Interval& interval, double scale = 1);

/// The curves of a study, what they are compared with and how they are called.
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
std::string repeats_words(const Repeats& repeats);

/// "median of n = 3, bars: range"; `drawn`: what bounds are drawn as.
std::string short_statistic(const Repeats& repeats, const std::string& drawn = "bars");

std::string short_mode(const Frame& frame);

/// What a figure's CSV says of the runs it shows.
std::vector<std::string> figure_notes(const Frame& frame);

/// "GPUs" or "ranks", by powers of two.
FigureAxis gpu_axis(const std::string& worker);

/// `key` with the GPU count as one more axis.
CurveKey with_gpus(CurveKey key, int gpus);

/// "weak scaling; median of n = 3, bars: range".
std::string accuracy_subtitle(const Frame& frame, const std::vector<AccuracyPoint>& points);

/// An axis of seconds, or of hours where the longest time is many of them.
struct TimeAxis {
  FigureAxis axis;
  double seconds = 1;  ///< of its unit
};
TimeAxis time_axis(const std::string& title, double longest_s);

/// An axis of values from `least` to `most`: logarithmic where these are far apart.
FigureAxis value_axis(const std::string& id, const std::string& title, double least, double most);

}  // namespace dlscale::analysis
