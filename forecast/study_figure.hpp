// SPDX-License-Identifier: Apache-2.0
// Creates one figure of a study by name. Most figures show results, either of a fixed kind or of
// any quantities over any axis. The other figures show a roofline or learning rates.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figures.hpp"
#include "forecast/prediction_figures.hpp"
#include "workspace/chosen_study.hpp"

namespace dlscale::forecast {

inline constexpr const char* kRates = "lr";  ///< name of the figure that needs only a study file

struct FigureChoice {
  workspace::StudyChoice study;  ///< plan folder; for kRates the study file
  /// One of figure_names(), or names of quantities separated by commas.
  std::string kind;
  std::string x;                ///< horizontal axis of quantities; empty: its default
  std::vector<std::string> by;  ///< axes that make curves of quantities; empty: all that vary
  std::vector<std::string> overrides;  ///< `-S` arguments that change the study, for kRates
  bool laws = false;                   ///< true if scaling laws extend the curves
  RooflineChoice roofline;
};

struct MadeFigure {
  analysis::Figure figure;
  std::string why_empty;      ///< message for the user if the figure has no series
  std::string outdated = {};  ///< message if the results are older than the runs (ChosenStudy)
};

/// Returns the names of all figures of a fixed kind.
std::vector<std::string> figure_names();

/// Returns true if the choice names quantities over an axis instead of a figure of a fixed kind.
/// This is so if an axis is given, or if no figure of a fixed kind has the chosen name.
bool draws_quantities(const FigureChoice& choice);

/// Returns a text that lists the figures, the quantities and, if the folder is a collected study,
/// the axes of the study with their values.
std::string list_figures(const workspace::StudyChoice& study);

/// Throws base::UsageError for an unknown figure or quantity, and for options that belong to
/// another figure.
void check_choice(const FigureChoice& choice);

/// Creates the figure. Throws what check_choice and open_study throw.
MadeFigure make_figure(const FigureChoice& choice);

}  // namespace dlscale::forecast
