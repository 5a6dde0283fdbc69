// SPDX-License-Identifier: Apache-2.0
// One figure of a study by its name: of results, of a roofline, or of learning rates.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figures.hpp"
#include "forecast/prediction_figures.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::forecast {

inline constexpr const char* kRates = "lr";  ///< the figure that needs a study and no results

struct FigureChoice {
  workspace::StudyChoice study;        ///< of kRates the study's file
  std::string kind;                    ///< one of figure_names()
  std::vector<std::string> overrides;  ///< -S arguments, of kRates
  bool laws = false;                   ///< continue the curves by scaling laws
  RooflineChoice roofline;
};

struct MadeFigure {
  analysis::Figure figure;
  std::string why_empty;  ///< what to say of a figure without series
};

std::vector<std::string> figure_names();

/// Throws base::UsageError for a figure that does not exist and for options of another figure.
void check_choice(const FigureChoice& choice);

/// Throws what check_choice and open_study throw.
MadeFigure make_figure(const FigureChoice& choice);

}  // namespace dlscale::forecast
