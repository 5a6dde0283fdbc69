// SPDX-License-Identifier: Apache-2.0
// A figure as data: what is drawn, not how.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report.hpp"

namespace dlscale::analysis {

struct FigurePoint {
  double x = 0;
  double y = 0;
  std::optional<Bounds> bounds;  ///< of y: error bars, or the edges of a band
  std::string note = {};         ///< a short word beside the mark; empty for none
};

struct Series {
  std::string label;
  std::vector<FigurePoint> points;
  std::size_t color = 0;  ///< index into the palette: one axis of the study
  std::size_t mark = 0;   ///< index into the marks: the other axes
  bool law = false;       ///< fitted, not measured: a dashed line without marks, bounds as a band
};

struct FigureAxis {
  std::string id;            ///< CSV column: "efficiency"
  std::string title;         ///< with its unit: "step time (ms)"
  int log_base = 0;          ///< 0: linear
  bool from_zero = false;    ///< show the axis down to 0
  bool tick_points = false;  ///< one tick for each x value there is (few, meaningful numbers)
};

/// More series than these cannot be told apart: such a figure is left out, and a warning says so.
inline constexpr std::size_t kMostSeries = 40;
/// As many stacked bars can be read.
inline constexpr std::size_t kMostBars = 120;

/// Lines over x, or with `categories` stacked bars: series i then has one point per category, in
/// their order, and x is not looked at; a part whose height nobody knows is NaN.
struct Figure {
  std::string title;
  std::string subtitle;  ///< baseline, mode, n, statistic
  std::vector<std::string> notes;
  FigureAxis x;
  FigureAxis y;
  std::string legend_title;
  std::vector<Series> series;   ///< those of laws behind the measured ones
  std::optional<Series> ideal;  ///< drawn as a dashed black line under its label
  std::vector<std::string> categories;
  bool marks = true;    ///< false: lines alone, of functions rather than of measurements
  bool lines = true;    ///< false: marks alone, nothing lies between two of them
  bool band = false;    ///< bounds are a band along the line instead of a bar at each mark
  std::string note_id;  ///< CSV column of the points' notes: "gpus"; empty if there are none
};

/// Up to so many bars, and so many series, a figure fits into one column of a paper.
inline constexpr std::size_t kMostOfColumn = 8;

/// Up to this many values, a linear x axis has a tick for each.
inline constexpr std::size_t kMostTicks = 15;

/// Distinct x values of the measured points, ascending.
std::set<double> x_values(const Figure& figure);

/// The least and the greatest y value of the measured points; {infinity, 0} without points.
std::pair<double, double> y_span(const Figure& figure);

/// Whether a series has marks, a line, and bounds as a band.
bool has_marks(const Figure& figure, const Series& series);
bool has_line(const Figure& figure, const Series& series);
bool has_band(const Figure& figure, const Series& series);

/// True if any of its points has bounds.
bool has_bounds(const Series& series);

/// How many of the series were measured.
std::size_t measured_series(const Figure& figure);

/// Each point of the ideal line once, by ascending x.
std::set<std::pair<double, double>> ideal_points(const Figure& figure);

/// True where the x axis has a tick for each of these values.
bool ticks_are_points(const FigureAxis& axis, const std::set<double>& xs);

/// True where powers of two alone would be hardly any ticks on the y axis: up to two octaves.
bool spans_few_octaves(const Figure& figure);
/// The ticks of such an axis.
inline constexpr double kFewOctaves[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5};

/// True if any part of a bar is more than nothing.
bool has_part(const Series& part);

}  // namespace dlscale::analysis
