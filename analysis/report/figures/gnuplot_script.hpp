// SPDX-License-Identifier: Apache-2.0
// A figure as gnuplot's language and the CSV file its script reads.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// Title and notes as comments, a header, then a line per point (series, x, y and its bounds) or,
/// for stacked bars, a line per bar.
std::string figure_csv(const Figure& figure);

/// A script that reads `<stem>.csv` and writes `<stem>.<format>` for each format (svg, pdf, png),
/// all in the current directory. The same bytes for the same figure.
std::string gnuplot_script(const Figure& figure, const std::string& stem,
                           const std::vector<std::string>& formats);

}  // namespace dlscale::analysis
