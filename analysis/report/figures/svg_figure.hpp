// SPDX-License-Identifier: Apache-2.0
// A figure as SVG: inside an HTML page, whose style sheet says which colours it has, and as a file.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

// From values to places along an axis of a drawing, and where its ticks stand.

class SvgAxis {
 public:
  /// Values from `low` to `high` go to the pixels `from` to `to`. On logarithmic axes both are
  /// positive.
  SvgAxis(double low, double high, int log_base, double from, double to);

  double low() const { return low_; }
  double high() const { return high_; }
  double at(double value) const;
  bool shows(double value) const;
  /// Round numbers in the range, ascending.
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

/// The axis over the figure's x values and the one over its y values, bounds and ideal line, with
/// some room beside them.
SvgAxis x_axis_of(const Figure& figure, double from, double to);
SvgAxis y_axis_of(const Figure& figure, double from, double to);

/// A number as people read it: 0.05, 1024, 2.5e-05.
std::string plain_number(double value);

/// What the figure shows, in words: its axes, and where each series begins and ends.
std::string figure_in_words(const Figure& figure);

/// An <svg> element with title and description. `id` makes the names in it unique on its page:
/// letters, digits and hyphens. Classes: c0 to c7 the palette, ideal, grid, axis, bar, band, line.
std::string svg_figure(const Figure& figure, const std::string& id);

/// A whole file with title, legend and its own style, for light ground.
std::string svg_file(const Figure& figure, const std::string& id);

/// The legend as an HTML list; empty for a figure without series.
std::string svg_legend(const Figure& figure, const std::string& id);

}  // namespace dlscale::analysis
