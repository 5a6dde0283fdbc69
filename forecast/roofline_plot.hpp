// SPDX-License-Identifier: Apache-2.0
// The roofline figure of a study, from a model's card and a device's two rates.
#pragma once

#include <string>

#include "analysis/report/figures/figure.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::forecast {

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

}  // namespace dlscale::forecast
