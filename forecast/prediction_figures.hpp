// SPDX-License-Identifier: Apache-2.0
// The figures of a study that need no results: learning rates, the roofline, and predictions, whose
// lines are dashed because nothing of them was measured.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/predicted_study.hpp"
#include "workspace/chosen_study.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

// The figure of a study's learning rates, which needs no results.

struct RateChoice {
  std::string study;                   ///< the file
  std::vector<std::string> overrides;  ///< -S arguments
  workspace::SelectionChoice runs;
};

/// Throws base::SpecError for what is wrong with the study, base::UsageError where it cannot be
/// read, and what select_runs throws.
analysis::Figure figure_of_rates(const RateChoice& choice);

// The roofline figure of a study, from a model's card and a device's two rates.

struct RooflineChoice {
  std::string card;            ///< the file
  double peak_tflops = 0;      ///< 0: not said
  double memory_gb_per_s = 0;  ///< 0: not said
  bool any() const { return !card.empty() || peak_tflops != 0 || memory_gb_per_s != 0; }
};

/// `folder` is the study's: its runs' descriptions say what their samples are. Throws
/// base::UsageError where one of the options is missing or impossible, base::SpecError for a card
/// that is none.
analysis::Figure figure_of_roofline(const workspace::ChosenStudy& study,
                                    const RooflineChoice& choice, const contract::PlanDir& folder);

// The figures of a study's predictions: dashed lines, for nothing of them was measured.

/// Over GPUs, a line for each curve with its band: efficiency against the fewest GPUs of the curve,
/// samples in a second, and the time of an epoch.
analysis::Figure predicted_efficiency(const PredictedStudy& study);
analysis::Figure predicted_throughput(const PredictedStudy& study);
analysis::Figure predicted_epoch_time(const PredictedStudy& study);

/// The step's time over the values of a sweep.
analysis::Figure sweep_figure(const PredictedStudy& study, const Sweep& sweep);

}  // namespace dlscale::forecast
