// SPDX-License-Identifier: Apache-2.0
// Describes a figure as data, independent of the format in which it is drawn.
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
  std::optional<Bounds> bounds;  ///< bounds of y: error bars, or the edges of a band
  std::string note = {};         ///< short label next to the mark; empty: none
};

struct Series {
  std::string label;
  std::vector<FigurePoint> points;
  std::size_t color = 0;  ///< index into the palette, for one axis of the study
  std::size_t mark = 0;   ///< index into the marks, for the other axes
  bool law = false;       ///< true if fitted: a dashed line without marks, with bounds as a band
};

struct FigureAxis {
  std::string id;            ///< name of the CSV column: "efficiency"
  std::string title;         ///< title with its unit: "step time (ms)"
  int log_base = 0;          ///< base of the logarithm; 0: linear
  bool from_zero = false;    ///< true if the axis starts at 0
  bool tick_points = false;  ///< true if each x value has a tick (few, meaningful numbers)
};

/// Largest number of series that a reader can distinguish. A figure with more series is left out,
/// and a warning reports this.
inline constexpr std::size_t kMostSeries = 40;
/// Largest number of stacked bars that a reader can read.
inline constexpr std::size_t kMostBars = 120;

/// Lines over x, or stacked bars if `categories` is not empty. With stacked bars, each series has
/// one point per category, in the order of the categories, and x is ignored. The y value of a part
/// of unknown height is NaN.
struct Figure {
  std::string title;
  std::string subtitle;  ///< baseline, mode, n and statistic
  std::vector<std::string> notes;
  FigureAxis x;
  FigureAxis y;
  std::string legend_title;
  std::vector<Series> series;   ///< series; those of laws are drawn behind the measured ones
  std::optional<Series> ideal;  ///< dashed black line, named by its label
  std::vector<std::string> categories;
  bool marks = true;    ///< false: lines only, for functions instead of measurements
  bool lines = true;    ///< false: marks only, without values between two marks
  bool band = false;    ///< true if bounds are a band along the line, not a bar at each mark
  std::string note_id;  ///< CSV column of the points' notes, e.g. "gpus"; empty: no notes
};

/// Largest number of bars, and of series, in a figure that fits into one column of a paper.
inline constexpr std::size_t kMostOfColumn = 8;

/// Largest number of values for which a linear x axis has a tick for each value.
inline constexpr std::size_t kMostTicks = 15;

/// Returns the distinct x values of the points, in ascending order.
std::set<double> x_values(const Figure& figure);

/// Returns the smallest and the largest y value of the points. Returns {infinity, 0} without
/// points.
std::pair<double, double> y_span(const Figure& figure);

/// Returns whether a series has marks. The next two functions return whether it has a line and
/// whether its bounds are a band.
bool has_marks(const Figure& figure, const Series& series);
bool has_line(const Figure& figure, const Series& series);
bool has_band(const Figure& figure, const Series& series);

/// Returns true if any point of the series has bounds.
bool has_bounds(const Series& series);

/// Returns the number of measured series.
std::size_t measured_series(const Figure& figure);

/// Returns each point of the ideal line once, by ascending x.
std::set<std::pair<double, double>> ideal_points(const Figure& figure);

/// Returns true if the x axis has a tick for each of these values.
bool ticks_are_points(const FigureAxis& axis, const std::set<double>& xs);

/// Returns true if the y axis spans at most two octaves, where powers of two alone would give too
/// few ticks.
bool spans_few_octaves(const Figure& figure);
/// Ticks of an axis that spans at most two octaves.
inline constexpr double kFewOctaves[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5};

/// Returns true if any part of a bar has a height above 0.
bool has_part(const Series& part);

}  // namespace dlscale::analysis
