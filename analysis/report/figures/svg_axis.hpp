// SPDX-License-Identifier: Apache-2.0
// From values to places along an axis of a drawing, and where its ticks stand.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/figure.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
