// SPDX-License-Identifier: Apache-2.0
// A figure as data: what is drawn, not how.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/report/report.hpp"

namespace dlscale::analysis {

struct FigurePoint {
  double x = 0;
  double y = 0;
  std::optional<Bounds> bounds;  ///< of y: error bars
};

struct Series {
  std::string label;
  std::vector<FigurePoint> points;
  std::size_t color = 0;  ///< index into the palette: one axis of the study
  std::size_t mark = 0;   ///< index into the marks: the other axes
};

struct FigureAxis {
  std::string id;            ///< CSV column: "efficiency"
  std::string title;         ///< with its unit: "step time (ms)"
  int log_base = 0;          ///< 0: linear
  bool from_zero = false;    ///< show the axis down to 0
  bool tick_points = false;  ///< one tick for each x value there is (few, meaningful numbers)
};

/// Lines over x, or with `categories` stacked bars: series i then has one point per category, in
/// their order, and x is not looked at.
struct Figure {
  std::string title;
  std::string subtitle;  ///< baseline, mode, n, statistic
  std::vector<std::string> notes;
  FigureAxis x;
  FigureAxis y;
  std::string legend_title;
  std::vector<Series> series;
  std::optional<Series> ideal;  ///< drawn as a dashed line
  std::vector<std::string> categories;
  bool marks = true;  ///< false: lines alone, of functions rather than of measurements
};

}  // namespace dlscale::analysis
