// SPDX-License-Identifier: Apache-2.0
// Draws the errors of kernel models on held-out sizes: a histogram and box plots.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/figures/figure.hpp"
#include "contract/records/calibration.hpp"

namespace dlscale::forecast {

/// Returns two figures, each with the name of its file (Barrachina et al., figure 1): a histogram
/// of the relative errors, whose bars are divided by the kind of layer, and a box plot for each
/// kernel. A box reaches from the lower to the upper quartile, with a mark at the median. Its
/// whiskers reach to the most extreme errors within 1.5 times the length of the box. Other errors
/// are points. Returns no figures if no model contains its held-out errors.
std::vector<std::pair<std::string, analysis::Figure>> kernel_figures(
    const contract::Calibration& calibration);

}  // namespace dlscale::forecast
