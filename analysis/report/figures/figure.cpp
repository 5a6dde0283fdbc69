// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/figure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/report/figures/legend.hpp"

namespace dlscale::analysis {

std::set<double> x_values(const Figure& figure) {
  std::set<double> values;
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) values.insert(point.x);
  }
  return values;
}

std::pair<double, double> y_span(const Figure& figure) {
  std::pair<double, double> span{std::numeric_limits<double>::infinity(), 0};
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      span = {std::min(span.first, point.y), std::max(span.second, point.y)};
    }
  }
  return span;
}

bool has_marks(const Figure& figure, const Series& series) {
  return figure.marks && (!series.law || series.points.size() == 1);
}

bool has_line(const Figure& figure, const Series& series) {
  return figure.lines || series.law;
}

bool has_band(const Figure& figure, const Series& series) {
  return figure.band || (series.law && !has_marks(figure, series));
}

bool shifts_series(const Figure& figure) {
  const bool is_shared = figure.lines || !figure.x.words.empty();
  return figure.shifted && figure.marks && is_shared && marked_series(figure) > 1;
}

double drawn_x(const Figure& figure, std::size_t i, double x) {
  if (!shifts_series(figure) || !has_marks(figure, figure.series[i])) return x;
  // Series without marks need no place.
  const auto before =
      std::count_if(figure.series.begin(), figure.series.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Series& series) { return has_marks(figure, series); });
  const double shift = dodge(static_cast<std::size_t>(before), marked_series(figure));
  if (!figure.x.words.empty()) return x + kWordDodge / kDodge * shift;
  return figure.x.log_base != 0 ? x * std::exp2(shift) : x + figure.x.spacing * shift;
}

std::string x_text(const FigureAxis& axis, double x, std::string (*number)(double)) {
  return axis.words.empty() ? number(x) : axis.words.at(static_cast<std::size_t>(x));
}

bool has_bounds(const Series& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [](const FigurePoint& point) { return point.bounds.has_value(); });
}

bool has_boxes(const Figure& figure) {
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      if (point.box) return true;
    }
  }
  return false;
}

std::size_t marked_series(const Figure& figure) {
  return static_cast<std::size_t>(
      std::count_if(figure.series.begin(), figure.series.end(),
                    [&](const Series& series) { return has_marks(figure, series); }));
}

std::set<std::pair<double, double>> ideal_points(const Figure& figure) {
  std::set<std::pair<double, double>> points;
  if (!figure.ideal) return points;
  for (const FigurePoint& point : figure.ideal->points) points.insert({point.x, point.y});
  return points;
}

bool ticks_are_points(const FigureAxis& axis, const std::set<double>& xs) {
  return axis.tick_points && (axis.log_base != 0 || xs.size() <= kMostTicks);
}

bool spans_few_octaves(const Figure& figure) {
  const auto [least, most] = y_span(figure);
  return figure.y.log_base == 2 && most <= 4 * least;
}

bool has_part(const Series& part) {
  return std::any_of(part.points.begin(), part.points.end(),
                     [](const FigurePoint& point) { return point.y > 0; });
}

}  // namespace dlscale::analysis
