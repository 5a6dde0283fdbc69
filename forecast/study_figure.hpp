// SPDX-License-Identifier: Apache-2.0
// Creates one figure of a study by name. Most figures show results. The other figures show a
// roofline or learning rates.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figures.hpp"
#include "forecast/prediction_figures.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::forecast {

inline constexpr const char* kRates = "lr";  ///< name of the figure that needs only a study file

struct FigureChoice {
  workspace::StudyChoice study;        ///< plan folder; for kRates the study file
  std::string kind;                    ///< one of figure_names()
  std::vector<std::string> overrides;  ///< `-S` arguments that change the study, for kRates
  bool laws = false;                   ///< true if scaling laws extend the curves
  RooflineChoice roofline;
};

struct MadeFigure {
  analysis::Figure figure;
  std::string why_empty;  ///< message for the user if the figure has no series
};

std::vector<std::string> figure_names();

/// Throws base::UsageError for an unknown figure and for options that belong to another figure.
void check_choice(const FigureChoice& choice);

/// Creates the figure. Throws what check_choice and open_study throw.
MadeFigure make_figure(const FigureChoice& choice);

}  // namespace dlscale::forecast
