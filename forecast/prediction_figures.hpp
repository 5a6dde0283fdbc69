// SPDX-License-Identifier: Apache-2.0
// Draws figures that need no results: learning rates, the roofline, and predictions as dashed
// lines.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "contract/plan/run_dir.hpp"
#include "forecast/study_prediction.hpp"
#include "workspace/chosen_study.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

// Learning rates of a study.

struct RateChoice {
  std::string study;                   ///< file of the study
  std::vector<std::string> overrides;  ///< values of -S
  workspace::SelectionChoice runs;
};

/// Throws base::SpecError for an invalid study, base::UsageError if it cannot be read, and what
/// select_runs throws.
analysis::Figure figure_of_rates(const RateChoice& choice);

// Roofline figure of a study, from a model card and two rates of a device.

struct RooflineChoice {
  std::string card;            ///< file of the model card
  double peak_tflops = 0;      ///< 0: not given
  double memory_gb_per_s = 0;  ///< 0: not given
  bool any() const { return !card.empty() || peak_tflops != 0 || memory_gb_per_s != 0; }
};

/// Draws the figure. The run descriptions in `folder` have the shape of the samples. Throws
/// base::UsageError if an option is missing or impossible, and base::SpecError for an invalid card.
analysis::Figure figure_of_roofline(const workspace::ChosenStudy& study,
                                    const RooflineChoice& choice, const contract::PlanDir& folder);

// Figures of predictions, with dashed lines.

/// Returns figures over GPUs with a line and band for each curve: efficiency relative to the fewest
/// GPUs of the curve, samples per second, and time of an epoch.
analysis::Figure predicted_efficiency(const StudyPrediction& study);
analysis::Figure predicted_throughput(const StudyPrediction& study);
analysis::Figure predicted_epoch_time(const StudyPrediction& study);

/// Returns the time of a step over the values of a sweep.
analysis::Figure sweep_figure(const StudyPrediction& study, const Sweep& sweep);

}  // namespace dlscale::forecast
