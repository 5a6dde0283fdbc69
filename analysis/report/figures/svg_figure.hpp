// SPDX-License-Identifier: Apache-2.0
// Draws a figure as SVG, either inside an HTML page, whose style sheet sets the colours, or as a
// file.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// Mapping from values to positions along an axis of a drawing, with the positions of its ticks.

class SvgAxis {
 public:
  /// Maps values from `low` to `high` to the pixels `from` to `to`. Both values must be positive on
  /// a logarithmic axis.
  SvgAxis(double low, double high, int log_base, double from, double to);

  double low() const { return low_; }
  double high() const { return high_; }
  double at(double value) const;
  bool shows(double value) const;
  /// Returns round numbers in the range, in ascending order.
  std::vector<double> ticks() const;

 private:
  std::vector<double> linear_ticks() const;
  std::vector<double> log_ticks() const;

  double low_;
  double high_;
  int log_base_;
  double from_;
  double to_;
};

/// Returns the x axis for the figure's x values. The next function returns the y axis for its y
/// values, bounds and ideal line. Both leave some room at the ends.
SvgAxis x_axis_of(const Figure& figure, double from, double to);
SvgAxis y_axis_of(const Figure& figure, double from, double to);

/// Returns a number in a form that is easy to read: 0.05, 1024, 2.5e-05.
std::string plain_number(double value);

/// Returns a description of the figure in words: its axes, and the first and last value of each
/// series.
std::string figure_in_words(const Figure& figure);

/// Returns an <svg> element with title and description. `id` makes the names inside unique on the
/// page and may contain letters, digits and hyphens. The classes are c0 to c7 for the palette,
/// ideal, grid, axis, bar, band and line.
std::string svg_figure(const Figure& figure, const std::string& id);

/// Returns a complete file with title, legend and its own style for a light background.
std::string svg_file(const Figure& figure, const std::string& id);

/// Returns the legend as an HTML list. Returns an empty text for a figure without series.
std::string svg_legend(const Figure& figure, const std::string& id);

}  // namespace dlscale::analysis
