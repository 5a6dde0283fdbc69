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

// Selection of the runs of a study whose learning rates are drawn.

struct RateChoice {
  std::string study;                   ///< file of the study
  std::vector<std::string> overrides;  ///< `-S` arguments that change the study
  workspace::SelectionChoice runs;
};

/// Draws the learning rates of the selected runs. Throws base::SpecError for an invalid study and
/// base::UsageError if the study cannot be read. Also throws what select_runs throws.
analysis::Figure figure_of_rates(const RateChoice& choice);

// Inputs of a roofline figure: a model card and two rates of a device.

struct RooflineChoice {
  std::string card;            ///< file of the model card
  double peak_tflops = 0;      ///< peak rate of the device; 0 = not given
  double memory_gb_per_s = 0;  ///< memory bandwidth of the device; 0 = not given
  bool any() const { return !card.empty() || peak_tflops != 0 || memory_gb_per_s != 0; }
};

/// Draws the roofline figure of a study. The descriptions of the runs in its plan folders give the
/// shape of the samples. Throws base::UsageError if an option is missing or impossible, and
/// base::SpecError for an invalid card.
analysis::Figure figure_of_roofline(const workspace::ChosenStudy& study,
                                    const RooflineChoice& choice);

// The following functions draw predictions as dashed lines.

/// Return figures over GPU counts with a line and a band for each curve: the efficiency relative to
/// the smallest GPU count of the curve, the samples per second, and the time of an epoch.
analysis::Figure predicted_efficiency(const StudyPrediction& study);
analysis::Figure predicted_throughput(const StudyPrediction& study);
analysis::Figure predicted_epoch_time(const StudyPrediction& study);

/// Returns a figure of the time of a step for the values of a sweep. Dashed lines with bands show
/// the step. Lines with marks show its parts: computation from the roofline and from kernel models,
/// and communication. Each curve also has a point at the value that the quantity has without the
/// sweep. If all curves have the same such value, a vertical line marks the value.
analysis::Figure sweep_figure(const StudyPrediction& study, const Sweep& sweep);

}  // namespace dlscale::forecast
