// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/pgfplots.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/report/figures/figure_files.hpp"
#include "analysis/report/figures/legend.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "analysis/report/latex_text.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Names of the marks in pgfplots: the filled shapes, then the hollow shapes. The order of the
/// shapes is that of kMarkShapes in legend.hpp.
constexpr std::array<const char*, kMarks> kMarkNames{
    "*", "square*", "triangle*", "diamond*", "triangle*, mark options={rotate=180}",
    "o", "square",  "triangle",  "diamond",  "triangle, mark options={solid, rotate=180}"};
/// Names of the fill patterns of stacked parts, by colour. The first part has no pattern.
constexpr std::array<const char*, kColors.size()> kPatternNames{
    "",           "north east lines", "north west lines",
    "crosshatch", "horizontal lines", "vertical lines",
    "grid",       "crosshatch dots"};
/// Approximate largest number of points of a line in a figure of functions. LaTeX is slow with more
/// points.
constexpr std::size_t kMostOfLine = 200;

bool fits_column(const Figure& figure) {
  return figure.categories.size() <= kMostOfColumn && figure.series.size() < kMostOfColumn;
}

/// Returns only the letters and digits of a point's note. pgfplots would interpret other characters
/// as LaTeX code.
std::string plain_word(const std::string& note) {
  std::string word;
  for (const char c : note) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) word += c;
  }
  return word;
}

std::string comment(const std::string& text) {
  std::string line = "% " + text;
  std::replace_if(
      line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return line + "\n";
}

/// Returns the options for ticks at 0, 1, … with these names, which are slanted.
std::string name_ticks(const std::vector<std::string>& names) {
  std::vector<std::string> labels;
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    places.push_back(places.size());
    labels.push_back("{" + latex_text(name) + "}");
  }
  return fmt::format(
      "    xtick={{{}}}, xticklabels={{{}}},\n"
      "    x tick label style={{rotate=40, anchor=east}},\n",
      fmt::join(places, ","), fmt::join(labels, ","));
}

std::string tick_options(const Figure& figure) {
  std::string text;
  const std::set<double> xs = x_values(figure);
  if (!figure.x.words.empty()) {
    text += name_ticks(figure.x.words);
  } else if (figure.categories.empty() && ticks_are_points(figure.x, xs)) {
    text += fmt::format("    xtick={{{}}},\n", fmt::join(xs, ","));
  } else if (figure.x.log_base == 10) {
    text += fmt::format("    xtick={{{}}},\n", fmt::join(x_axis_of(figure, 0, 1).ticks(), ","));
  }
  if (spans_few_octaves(figure)) {
    text += fmt::format("    ytick={{{}}},\n", fmt::join(kFewOctaves, ","));
  } else if (figure.y.log_base != 0) {
    text += fmt::format("    ytick={{{}}},\n", fmt::join(y_axis_of(figure, 0, 1).ticks(), ","));
  }
  return text;
}

/// Returns the options for the range of an axis. They are needed because pgfplots by default leaves
/// no room for error bars.
std::string range_options(const char* name, const FigureAxis& axis, const SvgAxis& scale) {
  const std::string range =
      fmt::format("    {0}min={1:.6g}, {0}max={2:.6g},\n", name, scale.low(), scale.high());
  if (axis.log_base == 0) return range;
  return range + fmt::format("    {0}mode=log, log basis {0}={1},\n", name, axis.log_base);
}

std::string legend_options(const Figure& figure) {
  return fits_column(figure)
             ? "    legend style={at={(0.5,-0.3)}, anchor=north, draw=none, font=\\footnotesize},\n"
             : "    legend pos=outer north east, legend style={draw=none, font=\\footnotesize},\n";
}

std::string axis_options(const Figure& figure) {
  const bool column = fits_column(figure);
  std::string text =
      fmt::format("    width={}cm, height={}cm,\n", column ? "8.6" : "14", column ? "6.4" : "9");
  text += "    xlabel={" + latex_text(figure.x.title) + "}, ylabel={" + latex_text(figure.y.title) +
          "},\n";
  if (figure.categories.empty()) text += range_options("x", figure.x, x_axis_of(figure, 0, 1));
  text += range_options("y", figure.y, y_axis_of(figure, 0, 1));
  if (figure.x.log_base != 0 || figure.y.log_base != 0) {
    text += "    log ticks with fixed point,\n";
  }
  text += tick_options(figure);
  text += "    axis lines=left, ymajorgrids, grid style={black!12}, tick align=outside,\n";
  // Without the math parser LaTeX is much faster, because it does not parse coordinates as
  // formulas.
  text += "    plot coordinates/math parser=false,\n";
  text += "    label style={font=\\small}, tick label style={font=\\footnotesize},\n";
  return text + "    legend cell align=left,\n" + legend_options(figure);
}

std::string color_name(std::size_t index) {
  return fmt::format("dlscale{}", index);
}

std::string color_definitions(const Figure& figure, std::size_t colors) {
  std::set<std::size_t> used;
  for (const Series& series : figure.series) used.insert(series.color % colors);
  std::string text;
  for (const std::size_t index : used) {
    text +=
        fmt::format("  \\definecolor{{{}}}{{HTML}}{{{}}}\n", color_name(index), kColors[index] + 1);
  }
  return text;
}

bool has_error_bars(const Figure& figure, const Series& series) {
  return has_bounds(series) && figure.marks && !has_band(figure, series);
}

Bounds known_bounds(const FigurePoint& point) {
  return point.bounds.value_or(Bounds{point.y, point.y});
}

/// Returns the points of a series to draw, without points that are not finite numbers. In a figure
/// of functions, only about kMostOfLine evenly spaced points and the last point are drawn.
std::vector<FigurePoint> drawn_points(const Figure& figure, const Series& series) {
  const std::vector<FigurePoint>& points = series.points;
  const std::size_t stride = figure.marks ? 1 : points.size() / kMostOfLine + 1;
  std::vector<FigurePoint> drawn;
  for (std::size_t j = 0; j < points.size(); j += stride) drawn.push_back(points[j]);
  if (!points.empty() && (points.size() - 1) % stride != 0) drawn.push_back(points.back());
  std::erase_if(drawn, [](const FigurePoint& point) {
    return !std::isfinite(point.x) || !std::isfinite(point.y);
  });
  return drawn;
}

std::string x_coordinate(const Figure& figure, std::size_t i, double x) {
  const double drawn = drawn_x(figure, i, x);
  return drawn == x ? fmt::format("{}", x) : fmt::format("{:.6g}", drawn);
}

std::string coordinate_of(const Figure& figure, std::size_t i, const FigurePoint& point) {
  std::string text = fmt::format("({},{})", x_coordinate(figure, i, point.x), point.y);
  if (has_error_bars(figure, figure.series[i])) {
    const Bounds bounds = known_bounds(point);
    text +=
        fmt::format(" += (0,{:.6g}) -= (0,{:.6g})", bounds.high - point.y, point.y - bounds.low);
  }
  return figure.note_id.empty() ? text : text + " [" + plain_word(point.note) + "]";
}

/// Returns the coordinates of one line as LaTeX code. The coordinates are in the document instead
/// of a data file, because LaTeX would process every row of the file for every line.
std::string coordinates(const std::vector<std::string>& points) {
  return fmt::format("coordinates {{\n      {}}}", fmt::join(points, "\n      "));
}

/// Returns the LaTeX code of a band, which is the area between two invisible lines.
std::string band(const Figure& figure, std::size_t i, const std::vector<FigurePoint>& points) {
  std::vector<std::string> low;
  std::vector<std::string> high;
  for (const FigurePoint& point : points) {
    const Bounds bounds = known_bounds(point);
    const std::string x = x_coordinate(figure, i, point.x);
    low.push_back(fmt::format("({},{})", x, bounds.low));
    high.push_back(fmt::format("({},{})", x, bounds.high));
  }
  std::string text;
  for (const auto& [edge, ends] : {std::pair{"low", &low}, {"high", &high}}) {
    text += fmt::format("    \\addplot[name path={}{}, draw=none, forget plot] {};\n", edge, i,
                        coordinates(*ends));
  }
  return text + fmt::format(
                    "    \\addplot[{0}, opacity=0.15, forget plot] fill between[of=low{1} and "
                    "high{1}];\n",
                    color_name(figure.series[i].color % kLineColors), i);
}

std::string style_of(const Figure& figure, const Series& series) {
  const std::size_t mark = series.mark % kMarks;
  std::string style = color_name(series.color % kLineColors);
  if (series.law && !has_marks(figure, series)) return style + ", dotted, thick, mark=none";
  if (!figure.lines) style += ", only marks";
  if (figure.lines && figure.marks && mark >= kMarkShapes) style += ", densely dashed";
  style += figure.marks ? fmt::format(", mark={}, mark size=2pt", kMarkNames[mark]) : ", mark=none";
  if (has_error_bars(figure, series)) {
    style += ",\n      error bars/.cd, y dir=both, y explicit, error bar style={solid}";
  }
  if (!figure.note_id.empty()) {
    style +=
        ",\n      /pgfplots/.cd, nodes near coords, point meta=explicit symbolic,\n"
        "      every node near coord/.append style={font=\\tiny, anchor=south west, inner sep=1pt}";
  }
  return style;
}

std::string ideal_plot(const Figure& figure) {
  std::vector<std::string> points;
  for (const auto& [x, y] : ideal_points(figure)) {
    if (std::isfinite(x) && std::isfinite(y)) points.push_back(fmt::format("({},{})", x, y));
  }
  return "    \\addplot[black, dashed, mark=none] " + coordinates(points) +
         ";\n    \\addlegendentry{" + latex_text(figure.ideal->label) + "}\n";
}

/// Returns the LaTeX code of the boxes of a box plot.
std::string box_plots(const Figure& figure, std::size_t i, const std::vector<FigurePoint>& points) {
  std::string text;
  for (const FigurePoint& point : points) {
    if (!point.box) continue;
    const double x = drawn_x(figure, i, point.x);
    text +=
        fmt::format("    \\draw[{}] (axis cs:{:.6g},{:.6g}) rectangle (axis cs:{:.6g},{:.6g});\n",
                    color_name(figure.series[i].color % kLineColors), x - kHalfBox, point.box->low,
                    x + kHalfBox, point.box->high);
  }
  return text;
}

std::string line_plots(const Figure& figure) {
  std::string text;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    const std::vector<FigurePoint> drawn = drawn_points(figure, series);
    if (drawn.empty()) continue;
    if (has_band(figure, series) && has_bounds(series)) text += band(figure, i, drawn);
    text += box_plots(figure, i, drawn);
    std::vector<std::string> points;
    for (const FigurePoint& point : drawn) points.push_back(coordinate_of(figure, i, point));
    text += "    \\addplot[" + style_of(figure, series) + "] " + coordinates(points) + ";\n";
    text += "    \\addlegendentry{" + latex_text(series.label) + "}\n";
  }
  return figure.ideal ? text + ideal_plot(figure) : text;
}

std::string bar_plots(const Figure& figure) {
  std::string text;
  for (const Series& part : figure.series) {
    if (!has_part(part)) continue;
    const std::size_t color = part.color % kColors.size();
    const std::string pattern =
        color == 0 ? ""
                   : fmt::format(", postaction={{pattern={}, pattern color=black!60}}",
                                 kPatternNames[color]);
    std::vector<std::string> heights;
    // A part of unknown height gets height 0, because otherwise pgfplots could not stack the parts.
    for (const FigurePoint& point : part.points) {
      heights.push_back(
          fmt::format("({},{})", heights.size(), std::isfinite(point.y) ? point.y : 0));
    }
    text += fmt::format("    \\addplot[draw=black!60, fill={}{}] {};\n", color_name(color), pattern,
                        coordinates(heights));
    text += "    \\addlegendentry{" + latex_text(part.label) + "}\n";
  }
  return text;
}

std::string bar_options(const Figure& figure) {
  return "    ybar stacked, area legend, /pgf/bar width=0.7, enlarge x limits={abs=0.6},\n" +
         name_ticks(figure.categories);
}

}  // namespace

std::string pgfplots_figure(const Figure& figure) {
  const bool stacked = !figure.categories.empty();
  std::string text = comment(figure.title) + comment(figure.subtitle);
  for (const std::string& note : figure.notes) text += comment(note);
  if (!stacked && shifts_series(figure)) {
    text += comment("The series are shifted slightly along x so that error bars do not overlap.");
  }
  text += "\\documentclass[border=2pt]{standalone}\n" + latex_font_packages() +
          latex_figure_packages() + "\\begin{document}\n\\begin{tikzpicture}\n";
  text += color_definitions(figure, stacked ? kColors.size() : kLineColors);
  text += "  \\begin{axis}[\n" + axis_options(figure) + (stacked ? bar_options(figure) : "");
  text += "  ]\n";
  if (!figure.legend_title.empty()) {
    text += "    \\addlegendimage{empty legend}\n    \\addlegendentry{\\hspace{-1em}\\textit{" +
            latex_text(figure.legend_title) + "}}\n";
  }
  text += stacked ? bar_plots(figure) : line_plots(figure);
  return text + "  \\end{axis}\n\\end{tikzpicture}\n\\end{document}\n";
}

std::vector<fs::path> write_pgfplots(const Figure& figure, const fs::path& stem) {
  const std::string name = stem.filename().string();
  if (name.find_first_of("\\%#{}~^$&\"' ") != std::string::npos) {
    throw base::UsageError(fmt::format(
        "LaTeX cannot read a file with this name: {}.tex; use only letters, digits, - and _",
        name));
  }
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  base::make_directories(folder);
  const std::vector<std::pair<std::string, std::string>> contents{
      {name + ".csv", figure_csv(figure)}, {name + ".tex", pgfplots_figure(figure)}};
  std::vector<fs::path> files;
  for (const auto& [file, content] : contents) {
    files.push_back(folder / file);
    base::write_file_if_changed(files.back(), content);
  }
  return files;
}

}  // namespace dlscale::analysis
