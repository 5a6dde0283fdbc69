// SPDX-License-Identifier: Apache-2.0
// A figure as SVG inside an HTML page, whose style sheet says which colours it has.
#pragma once

#include <string>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

/// What the figure shows, in words: its axes, and where each series begins and ends.
std::string figure_in_words(const Figure& figure);

/// An <svg> element with title and description. `id` makes the names in it unique on its page:
/// letters, digits and hyphens. Classes: c0 to c7 the palette, ideal, grid, axis, bar, band, line.
std::string svg_figure(const Figure& figure, const std::string& id);

/// The legend as an HTML list; empty for a figure without series.
std::string svg_legend(const Figure& figure, const std::string& id);

}  // namespace dlscale::analysis
