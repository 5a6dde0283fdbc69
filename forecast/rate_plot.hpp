// SPDX-License-Identifier: Apache-2.0
// The figure of a study's learning rates, which needs no results.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

struct RateChoice {
  std::string study;                   ///< the file
  std::vector<std::string> overrides;  ///< -S arguments
  workspace::SelectionChoice runs;
};

/// Throws base::SpecError for what is wrong with the study, base::UsageError where it cannot be
/// read, and what select_runs throws.
analysis::Figure figure_of_rates(const RateChoice& choice);

}  // namespace dlscale::forecast
