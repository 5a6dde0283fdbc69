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
  std::optional<Bounds> bounds;    ///< bounds of y, drawn as an error bar or as the edges of a band
  std::string note = {};           ///< short label that is drawn next to the mark; empty: none
  std::optional<Bounds> box = {};  ///< quartiles of a box plot, drawn as a box around the mark
};

struct Series {
  std::string label;
  std::vector<FigurePoint> points;
  std::size_t color = 0;  ///< index of the colour, which shows the value on one axis of the study
  std::size_t mark = 0;   ///< index of the mark, which shows the values on the other axes
  /// True for fitted or predicted values: a line without marks, with bounds as a band. A single
  /// point, which has no line, is drawn as a mark with an error bar.
  bool law = false;
};

struct FigureAxis {
  std::string id;          ///< name of the CSV column: "efficiency"
  std::string title;       ///< title with its unit: "step time (ms)"
  int log_base = 0;        ///< base of the logarithmic axis; 0: the axis is linear
  bool from_zero = false;  ///< true if the axis starts at 0
  /// True if each x value of a point has a tick, for few and meaningful values.
  bool tick_points = false;
  /// Names of the x values 0, 1, …, for an axis of words such as model names. Empty: numbers.
  std::vector<std::string> words = {};
  /// Distance between neighbouring values of a linear axis, relative to which series are shifted.
  double spacing = 1;
};

/// Largest number of series that a reader can distinguish. A report leaves out figures with more
/// series and shows a warning instead.
inline constexpr std::size_t kMostSeries = 40;
/// Largest number of stacked bars that a reader can distinguish. A report leaves out figures with
/// more bars.
inline constexpr std::size_t kMostBars = 120;

/// Figure with lines over x, or with stacked bars if `categories` is not empty. In a figure with
/// stacked bars, each category is a bar and each series is a part of all bars. A series then has
/// one point for each category, in the order of the categories. The point's y is the height of the
/// part (NaN if unknown), and its x is ignored.
struct Figure {
  std::string title;
  std::string subtitle;  ///< baseline, scaling mode, number of repeats and statistic
  std::vector<std::string> notes;
  FigureAxis x;
  FigureAxis y;
  std::string legend_title;
  std::vector<Series> series;  ///< measured series, followed by fitted and predicted ones
  /// Reference line, dashed and black. Its label is its name in the legend.
  std::optional<Series> ideal;
  std::vector<std::string> categories;
  /// False for figures of functions instead of measurements, which have lines only.
  bool marks = true;
  /// False if values between two points have no meaning. The figure then has marks only.
  bool lines = true;
  /// False if all series are drawn at their exact x values, although marks can then hide each
  /// other.
  bool shifted = true;
  bool band = false;  ///< true if bounds are drawn as a band along the line instead of error bars
  /// Reason why the figure has no series. Empty if it has series, or if no run has the values.
  std::string why_empty;
  /// Name of the CSV column with the points' notes, e.g. "gpus". Empty: no notes.
  std::string note_id;
};

/// Largest number of bars for which a figure fits into one column of a two-column paper. The number
/// of series must be smaller than this number.
inline constexpr std::size_t kMostOfColumn = 8;

/// Largest number of distinct x values for which a linear x axis has a tick at each value.
inline constexpr std::size_t kMostTicks = 15;

/// Returns the distinct x values of the points, in ascending order.
std::set<double> x_values(const Figure& figure);

/// Returns the smallest and the largest y value of all points. Returns {infinity, 0} for a figure
/// without points.
std::pair<double, double> y_span(const Figure& figure);

/// Returns true if marks are drawn for this series. has_line() returns true if a line is drawn, and
/// has_band() returns true if bounds are drawn as a band instead of error bars.
bool has_marks(const Figure& figure, const Series& series);
bool has_line(const Figure& figure, const Series& series);
bool has_band(const Figure& figure, const Series& series);

/// Returns the x coordinate at which a point of series `i` is drawn. If several series have marks
/// and bars at equal x values, the series are shifted slightly along x so that they do not hide
/// each other.
double drawn_x(const Figure& figure, std::size_t i, double x);
/// Returns true if drawn_x() shifts series of this figure.
bool shifts_series(const Figure& figure);

/// Returns the text of an x value: the name on an axis of words, otherwise the number as `number`
/// formats it.
std::string x_text(const FigureAxis& axis, double x, std::string (*number)(double));

/// Returns true if any point of the series has bounds.
bool has_bounds(const Series& series);

/// Returns true if any point of the figure has a box.
bool has_boxes(const Figure& figure);
/// Half the width of a box on an axis of words, on which neighbouring words are 1 apart.
inline constexpr double kHalfBox = 0.3;

/// Returns the number of series that are drawn with marks.
std::size_t marked_series(const Figure& figure);

/// Returns the points of the ideal line by ascending x, without duplicates.
std::set<std::pair<double, double>> ideal_points(const Figure& figure);

/// Returns true if the x axis `axis` has a tick at each of the x values `xs` of the points.
bool ticks_are_points(const FigureAxis& axis, const std::set<double>& xs);

/// Returns true if the y axis is logarithmic with base 2 and its values span at most a factor of 4.
/// Ticks at powers of two alone would then be too few.
bool spans_few_octaves(const Figure& figure);
/// Ticks of a logarithmic y axis for which spans_few_octaves() returns true.
inline constexpr double kFewOctaves[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5};

/// Returns true if this part of stacked bars has a height above 0 in any bar.
bool has_part(const Series& part);

}  // namespace dlscale::analysis
