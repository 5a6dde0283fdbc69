// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/gnuplot_script.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

#include "analysis/report/csv_text.hpp"

namespace dlscale::analysis {
namespace {

/// Okabe and Ito's palette without yellow (too pale on white) and black (the ideal line's).
constexpr std::array<const char*, 7> kColors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                             "#E69F00", "#56B4E9", "#666666"};
constexpr const char* kEighthColor = "#F0E442";  // for the eighth part of a bar only
/// Filled circle, square, triangle, diamond, inverted triangle; then the same hollow.
constexpr std::array<int, 10> kMarks{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
constexpr std::size_t kDashes = 5;  // kinds of lines that gnuplot has
/// How far series are moved sideways at most: octaves of a logarithmic axis, units of a linear one.
constexpr double kDodge = 0.03;
/// Up to this many values, a linear x axis has a tick for each.
constexpr std::size_t kMostTicks = 15;

/// A gnuplot string: nothing but the quote itself means anything inside single quotes.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' || c == '\r' ? ' ' : c;
  }
  return result + "'";
}

std::vector<std::string> comments(const Figure& figure) {
  std::vector<std::string> lines{figure.title, figure.subtitle};
  lines.insert(lines.end(), figure.notes.begin(), figure.notes.end());
  return lines;
}

std::string stacked_csv(const Figure& figure) {
  std::vector<std::string> header{figure.x.id};
  for (const Series& part : figure.series) header.push_back(part.label + "_" + figure.y.id);
  std::string text = csv_line(header);
  for (std::size_t i = 0; i < figure.categories.size(); ++i) {
    std::vector<std::string> line{figure.categories[i]};
    for (const Series& part : figure.series) line.push_back(csv_number(part.points[i].y));
    text += csv_line(line);
  }
  return text;
}

std::string lines_csv(const Figure& figure) {
  std::string text = csv_line({"series", figure.x.id, figure.y.id, "low", "high"});
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      text += csv_line({series.label, csv_number(point.x), csv_number(point.y),
                        point.bounds ? csv_number(point.bounds->low) : "",
                        point.bounds ? csv_number(point.bounds->high) : ""});
    }
  }
  return text;
}

/// Distinct x values, ascending.
std::set<double> x_values(const Figure& figure) {
  std::set<double> values;
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) values.insert(point.x);
  }
  return values;
}

/// The least and the greatest y value.
std::pair<double, double> y_span(const Figure& figure) {
  std::pair<double, double> span{std::numeric_limits<double>::infinity(), 0};
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      span = {std::min(span.first, point.y), std::max(span.second, point.y)};
    }
  }
  return span;
}

std::string x_axis_lines(const FigureAxis& axis, const std::set<double>& xs) {
  std::string text;
  if (xs.empty()) return text;
  const double low = *xs.begin();
  const double high = *xs.rbegin();
  if (axis.log_base != 0) {
    text += fmt::format("set logscale x {}\nset xrange [{}:{}]\n", axis.log_base, low / 1.2,
                        high * 1.2);
  } else {
    const double margin = 0.1 + 0.02 * (high - low);
    text += fmt::format("set xrange [{}:{}]\n", low - margin, high + margin);
  }
  if (axis.tick_points && (axis.log_base != 0 || xs.size() <= kMostTicks)) {
    std::vector<std::string> ticks;
    for (const double x : xs) ticks.push_back(fmt::format("'{0}' {0}", x));
    text += fmt::format("set xtics ({})\n", fmt::join(ticks, ", "));
  }
  return text;
}

std::string axis_lines(const Figure& figure) {
  std::string text =
      fmt::format("set xlabel {}\nset ylabel {}\n", quoted(figure.x.title), quoted(figure.y.title));
  const std::set<double> xs = x_values(figure);
  if (figure.categories.empty()) text += x_axis_lines(figure.x, xs);
  if (figure.y.log_base != 0) text += fmt::format("set logscale y {}\n", figure.y.log_base);
  // Powers of two alone would be hardly any ticks on two octaves.
  const auto [least, most] = y_span(figure);
  if (figure.y.log_base == 2 && most <= 4 * least) {
    text += "set ytics (0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5)\n";
  }
  if (figure.y.from_zero) text += "set yrange [0:*]\n";
  return text;
}

/// Where series `i` of `n` draws its x values: a little beside them, so that neighbours' marks and
/// bars do not hide each other.
std::string dodged_x(const Figure& figure, std::size_t i) {
  const std::size_t n = figure.series.size();
  if (n < 2 || !figure.marks) return "2";
  const double shift = kDodge * (2 * static_cast<double>(i) / static_cast<double>(n - 1) - 1);
  return figure.x.log_base != 0 ? fmt::format("($2*2**({:.4f}))", shift)
                                : fmt::format("($2+({:.4f}))", shift);
}

/// Two plot elements per series: its error bars, and its marks on top of them.
std::string line_elements(const Figure& figure, const std::string& csv) {
  std::vector<std::string> elements;
  std::size_t first = 0;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    if (series.points.empty()) continue;
    const std::size_t last = first + series.points.size() - 1;
    const std::string data = fmt::format("{} skip header every ::{}::{} using {}", quoted(csv),
                                         first, last, dodged_x(figure, i));
    const char* color = kColors[series.color % kColors.size()];
    if (!figure.marks) {
      elements.push_back(fmt::format("{}:3 with lines lc rgb '{}' lw 1.6 dt {} title {}", data,
                                     color, 1 + series.mark % kDashes, quoted(series.label)));
      first = last + 1;
      continue;
    }
    const std::size_t mark = series.mark % kMarks.size();
    const bool bars =
        std::any_of(series.points.begin(), series.points.end(),
                    [](const FigurePoint& point) { return point.bounds.has_value(); });
    if (bars) {
      elements.push_back(
          fmt::format("{}:3:4:5 with yerrorbars pt 0 ps 0 lc rgb '{}' lw 1 notitle", data, color));
    }
    elements.push_back(
        fmt::format("{}:3 with linespoints lc rgb '{}' lw 1.6 dt {} pt {} ps 0.7 title {}", data,
                    color, mark < kMarks.size() / 2 ? 1 : 4, kMarks[mark], quoted(series.label)));
    first = last + 1;
  }
  if (figure.ideal) {
    elements.push_back("$ideal using 1:2 with lines lc rgb 'black' lw 1.4 dt 2 title 'ideal'");
  }
  return fmt::format("plot {}\n", fmt::join(elements, ", \\\n     "));
}

std::string ideal_data(const Figure& figure) {
  if (!figure.ideal) return "";
  std::set<std::pair<double, double>> points;
  for (const FigurePoint& point : figure.ideal->points) points.insert({point.x, point.y});
  std::string text = "$ideal << END\n";
  for (const auto& [x, y] : points) text += fmt::format("{},{}\n", x, y);
  return text + "END\n";
}

std::string bar_elements(const Figure& figure, const std::string& csv) {
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& part = figure.series[i];
    const bool shown = std::any_of(part.points.begin(), part.points.end(),
                                   [](const FigurePoint& point) { return point.y > 0; });
    if (!shown) continue;
    const char* color = part.color < kColors.size() ? kColors[part.color] : kEighthColor;
    elements.push_back(fmt::format("{} skip header using {}:xtic(1) lc rgb '{}' title {}",
                                   quoted(csv), i + 2, color, quoted(part.label)));
  }
  return fmt::format("plot {}\n", fmt::join(elements, ", \\\n     "));
}

/// Pixels of an SVG file: wider for many bars, taller for a long legend.
struct Canvas {
  std::size_t width = 860;
  std::size_t height = 480;
  explicit Canvas(const Figure& figure) {
    width = std::max(width, 200 + 24 * figure.categories.size());
    height = figure.categories.empty() ? std::max(height, 180 + 24 * figure.series.size()) : 560;
  }
};

std::string terminal(const std::string& format, const Canvas& canvas) {
  const auto [width, height] = canvas;
  if (format == "svg") {
    return fmt::format("svg size {},{} font 'Arial,14' background '#ffffff'", width, height);
  }
  if (format == "pdf") {
    return fmt::format("pdfcairo size {:.2f}cm,{:.2f}cm font 'Arial,9'", 0.02 * double(width),
                       0.02 * double(height));
  }
  return fmt::format("pngcairo size {},{} fontscale 1.5 font 'Arial,9'", width * 3 / 2,
                     height * 3 / 2);
}

}  // namespace

std::string figure_csv(const Figure& figure) {
  std::string text;
  for (const std::string& line : comments(figure)) text += csv_comment(line);
  return text + (figure.categories.empty() ? lines_csv(figure) : stacked_csv(figure));
}

std::string gnuplot_script(const Figure& figure, const std::string& stem,
                           const std::vector<std::string>& formats) {
  const bool stacked = !figure.categories.empty();
  std::string text = "# Reads the CSV file beside it. Draw again with: gnuplot " + stem + ".gp\n";
  if (figure.marks && !stacked) {
    text += "# Series stand a little beside their x values, so that bars do not hide each other.\n";
  }
  text += "set encoding utf8\nset datafile separator comma\n";
  text += fmt::format("header = {}\n", comments(figure).size() + 1);
  text += fmt::format("set title {} . \"\\n\" . {} noenhanced\n", quoted(figure.title),
                      quoted(figure.subtitle));
  text +=
      "set border 3 lc rgb '#444444'\nset tics nomirror\nset grid ytics back lt 1 lc rgb '#dddddd' "
      "lw 1\n";
  text += "set key outside right top Left reverse samplen 2.5 spacing 1.1 noenhanced\n";
  if (!figure.legend_title.empty()) {
    text += fmt::format("set key title {} noenhanced left\n", quoted(figure.legend_title));
  }
  text += axis_lines(figure);
  if (stacked) {
    text += "set style data histograms\nset style histogram rowstacked\n";
    text += "set style fill solid 0.9 border rgb '#ffffff'\nset boxwidth 0.75\n";
    text += "set xtics rotate by -40 noenhanced scale 0\n";
  } else {
    text += "set bars small\n";
    text += ideal_data(figure);
  }
  const std::string csv = stem + ".csv";
  const std::string plot = stacked ? bar_elements(figure, csv) : line_elements(figure, csv);
  for (const std::string& format : formats) {
    text += fmt::format("set terminal {}\nset output {}\n", terminal(format, Canvas(figure)),
                        quoted(stem + "." + format));
    text += format == formats.front() ? plot : "replot\n";
    text += "unset output\n";
  }
  return text;
}

}  // namespace dlscale::analysis
