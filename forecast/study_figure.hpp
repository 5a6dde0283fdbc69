// SPDX-License-Identifier: Apache-2.0
// Creates one figure of a study by name: from results, a roofline, or learning rates.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figures.hpp"
#include "forecast/prediction_figures.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::forecast {

inline constexpr const char* kRates = "lr";  ///< the figure that needs only a study

struct FigureChoice {
  workspace::StudyChoice study;        ///< plan folder; for kRates the file of the study
  std::string kind;                    ///< one of figure_names()
  std::vector<std::string> overrides;  ///< values of -S, for kRates
  bool laws = false;                   ///< extend the curves with scaling laws
  RooflineChoice roofline;
};

struct MadeFigure {
  analysis::Figure figure;
  std::string why_empty;  ///< message for a figure without series
};

std::vector<std::string> figure_names();

/// Throws base::UsageError for an unknown figure and for options of another figure.
void check_choice(const FigureChoice& choice);

/// Throws what check_choice and open_study throw.
MadeFigure make_figure(const FigureChoice& choice);

}  // namespace dlscale::forecast
