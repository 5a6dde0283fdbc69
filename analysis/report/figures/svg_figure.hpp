// SPDX-License-Identifier: Apache-2.0
// Draws a figure as SVG, either as an element of an HTML page or as a separate file. In an HTML
// page, the page's style sheet sets the colours.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// Axis of a drawing: maps values to positions and chooses the ticks.

class SvgAxis {
 public:
  /// Creates an axis that maps the values `low` to `high` to the pixel positions `from` to `to`.
  /// For a logarithmic axis, `log_base` is the base, and `low` and `high` must be positive. For a
  /// linear axis, `log_base` is 0.
  SvgAxis(double low, double high, int log_base, double from, double to);

  double low() const { return low_; }
  double high() const { return high_; }
  double at(double value) const;
  bool shows(double value) const;
  /// Returns the ticks: round numbers within the range of the axis, in ascending order.
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

/// Returns the x axis of a figure. It contains all x values, with some room at both ends.
/// y_axis_of() returns the y axis, which contains all y values, their bounds and the ideal line,
/// with some room at both ends.
SvgAxis x_axis_of(const Figure& figure, double from, double to);
SvgAxis y_axis_of(const Figure& figure, double from, double to);

/// Returns a number in a short form such as 0.05, 1024 or 2.5e-05.
std::string plain_number(double value);

/// Returns a description of the figure in words, for readers who cannot see the figure. It names
/// the axes, and the first and last value of each series.
std::string figure_in_words(const Figure& figure);

/// Returns an <svg> element with a title and a description. `id` makes the element ids in it unique
/// on the page. It may contain letters, digits and hyphens. Style sheets set the colours through
/// these CSS classes: c0 to c7 for the palette, and ideal, grid, axis, bar, band and line for the
/// kinds of lines.
std::string svg_figure(const Figure& figure, const std::string& id);

/// Returns the content of an SVG file that shows the figure with its title and legend. The file
/// contains its own style for a light background.
std::string svg_file(const Figure& figure, const std::string& id);

/// Returns the legend as an HTML element with the names of the axes and a list of the series.
/// Returns an empty text for a figure without series.
std::string svg_legend(const Figure& figure, const std::string& id);

}  // namespace dlscale::analysis
