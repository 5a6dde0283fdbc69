// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/gnuplot.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>
#include <unistd.h>

#include <spawn.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <utility>

#include "analysis/report/csv_text.hpp"
#include "analysis/report/figures/legend.hpp"
#include "analysis/report/figures/svg_figure.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Filled circle, square, triangle, diamond, inverted triangle; then the same hollow.
constexpr std::array<int, kMarks> kPointTypes{7, 5, 9, 13, 11, 6, 4, 8, 12, 10};
/// Of the parts of a bar: neighbours differ without colours, too.
constexpr std::array<const char*, kColors.size()> kFills{
    "solid", "pattern 5", "solid", "pattern 4", "solid", "pattern 2", "solid", "pattern 0"};
constexpr std::size_t kDashes = 5;  // kinds of lines that gnuplot has

/// A gnuplot string: nothing but the quote itself means anything inside single quotes. Control
/// characters, which no font has, become spaces.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    result += is_control ? ' ' : c;
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
  std::vector<std::string> header{"series", figure.x.id, figure.y.id, "low", "high"};
  if (!figure.note_id.empty()) header.push_back(figure.note_id);
  std::string text = csv_line(header);
  for (const Series& series : figure.series) {
    for (const FigurePoint& point : series.points) {
      std::vector<std::string> line{series.label, csv_number(point.x), csv_number(point.y),
                                    point.bounds ? csv_number(point.bounds->low) : "",
                                    point.bounds ? csv_number(point.bounds->high) : ""};
      if (!figure.note_id.empty()) line.push_back(point.note);
      text += csv_line(line);
    }
  }
  return text;
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
  if (ticks_are_points(axis, xs)) {
    std::vector<std::string> ticks;
    for (const double x : xs) ticks.push_back(fmt::format("'{0}' {0}", x));
    text += fmt::format("set xtics ({})\n", fmt::join(ticks, ", "));
  }
  return text;
}

/// Of axes by powers of ten: gnuplot itself has no tick on less than a decade.
std::string decimal_ticks(const char* name, const FigureAxis& axis, const SvgAxis& scale) {
  if (axis.log_base != 10) return "";
  return fmt::format("set {}tics ({})\n", name, fmt::join(scale.ticks(), ", "));
}

std::string axis_lines(const Figure& figure) {
  std::string text =
      fmt::format("set xlabel {}\nset ylabel {}\n", quoted(figure.x.title), quoted(figure.y.title));
  const std::set<double> xs = x_values(figure);
  if (figure.categories.empty()) text += x_axis_lines(figure.x, xs);
  if (figure.y.log_base != 0) text += fmt::format("set logscale y {}\n", figure.y.log_base);
  text += decimal_ticks("x", figure.x, x_axis_of(figure, 0, 1));
  text += decimal_ticks("y", figure.y, y_axis_of(figure, 0, 1));
  if (spans_few_octaves(figure)) {
    text += fmt::format("set ytics ({})\n", fmt::join(kFewOctaves, ", "));
  }
  if (figure.y.from_zero) text += "set yrange [0:*]\n";
  return text;
}

/// Where series `i` draws its x values: a little beside them.
std::string dodged_x(const Figure& figure, std::size_t i) {
  const std::size_t n = measured_series(figure);
  if (n < 2 || !has_marks(figure, figure.series[i]) || !figure.lines) return "2";
  return figure.x.log_base != 0 ? fmt::format("($2*2**({:.4f}))", dodge(i, n))
                                : fmt::format("($2+({:.4f}))", dodge(i, n));
}

/// Marks and lines of a series, with its bounds behind them. `data` ends in the x value.
void add_series(std::vector<std::string>& elements, const Figure& figure, const Series& series,
                const std::string& data) {
  const char* color = kColors[series.color % kLineColors];
  const std::string title = quoted(series.label);
  if (has_bounds(series) && has_band(figure, series)) {
    elements.push_back(
        fmt::format("{}:(valid(4)?$4:$3):(valid(5)?$5:$3) with filledcurves fs transparent solid "
                    "0.15 noborder lc rgb '{}' notitle",
                    data, color));
  }
  if (series.law) {
    elements.push_back(
        fmt::format("{}:3 with lines lc rgb '{}' lw 1.2 dt 3 title {}", data, color, title));
    return;
  }
  if (!figure.marks) {
    elements.push_back(fmt::format("{}:3 with lines lc rgb '{}' lw 1.6 dt {} title {}", data, color,
                                   1 + series.mark % kDashes, title));
    return;
  }
  if (has_bounds(series) && !figure.band) {
    elements.push_back(
        fmt::format("{}:3:4:5 with yerrorbars pt 0 ps 0 lc rgb '{}' lw 1 notitle", data, color));
  }
  const std::size_t mark = series.mark % kMarks;
  const std::string line = figure.lines ? fmt::format("linespoints lc rgb '{}' lw 1.6 dt {}", color,
                                                      mark < kMarkShapes ? 1 : 4)
                                        : fmt::format("points lc rgb '{}'", color);
  elements.push_back(
      fmt::format("{}:3 with {} pt {} ps 0.7 title {}", data, line, kPointTypes[mark], title));
  if (!figure.note_id.empty()) {
    elements.push_back(fmt::format(
        "{}:3:6 with labels left offset 0.6,0.3 font ',8' tc rgb '{}' notitle", data, color));
  }
}

std::string line_elements(const Figure& figure, const std::string& csv) {
  std::vector<std::string> elements;
  std::size_t first = 0;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& series = figure.series[i];
    if (series.points.empty()) continue;
    const std::size_t last = first + series.points.size() - 1;
    add_series(elements, figure, series,
               fmt::format("{} skip header every ::{}::{} using {}", quoted(csv), first, last,
                           dodged_x(figure, i)));
    first = last + 1;
  }
  if (figure.ideal) {
    elements.push_back(
        fmt::format("$ideal using 1:2 with lines lc rgb 'black' lw 1.4 dt 2 title {}",
                    quoted(figure.ideal->label)));
  }
  return fmt::format("plot {}\n", fmt::join(elements, ", \\\n     "));
}

std::string ideal_data(const Figure& figure) {
  if (!figure.ideal) return "";
  std::string text = "$ideal << END\n";
  for (const auto& [x, y] : ideal_points(figure)) text += fmt::format("{},{}\n", x, y);
  return text + "END\n";
}

std::string bar_elements(const Figure& figure, const std::string& csv) {
  std::vector<std::string> elements;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const Series& part = figure.series[i];
    if (!has_part(part)) continue;
    const std::size_t color = part.color % kColors.size();
    elements.push_back(fmt::format(
        "{} skip header using {}:xtic(1) fs {} border rgb '#444444' lc rgb '{}' title {}",
        quoted(csv), i + 2, kFills[color], kColors[color], quoted(part.label)));
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

/// Centimetres of a figure for print: a column's width where it fits in, with the legend below it,
/// else a page's.
struct PrintSize {
  double width = 8.6;
  double height = 6;
  bool column = true;
  explicit PrintSize(const Figure& figure) {
    const std::size_t entries = figure.series.size() + (figure.ideal ? 1 : 0);
    column = figure.categories.size() <= kMostOfColumn && entries <= kMostOfColumn;
    if (column) {
      height += 0.35 * static_cast<double>(entries);
    } else {
      const Canvas canvas(figure);
      width = 17.8;
      height = width * static_cast<double>(canvas.height) / static_cast<double>(canvas.width);
    }
  }
};

/// Terminal, title and legend. On screens a figure says itself what it shows; in print its caption
/// does.
std::string terminal_lines(const Figure& figure, const std::string& format) {
  const Canvas canvas(figure);
  const PrintSize print(figure);
  const bool below = format == "pdf" && print.column;
  std::string text =
      below ? "set key outside below center Left reverse samplen 2.5 spacing 1.1 noenhanced\n"
            : "set key outside right top Left reverse samplen 2.5 spacing 1.1 noenhanced\n";
  if (format == "pdf") {
    text += fmt::format(
        "unset title\nset terminal pdfcairo size {:.2f}cm,{:.2f}cm font 'Arial,8' linewidth 0.8\n",
        print.width, print.height);
    return text;
  }
  text += fmt::format("set title {} . \"\\n\" . {} noenhanced\n", quoted(figure.title),
                      quoted(figure.subtitle));
  if (format == "svg") {
    return text + fmt::format("set terminal svg size {},{} font 'Arial,14' background '#ffffff'\n",
                              canvas.width, canvas.height);
  }
  return text + fmt::format("set terminal pngcairo size {},{} fontscale 1.5 font 'Arial,9'\n",
                            canvas.width * 3 / 2, canvas.height * 3 / 2);
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
  text +=
      "set border 3 lc rgb '#444444'\nset tics nomirror\nset grid ytics back lt 1 lc rgb '#dddddd' "
      "lw 1\n";
  if (!figure.legend_title.empty()) {
    text += fmt::format("set key title {} noenhanced left\n", quoted(figure.legend_title));
  }
  text += axis_lines(figure);
  if (stacked) {
    text += "set style data histograms\nset style histogram rowstacked\n";
    text += "set boxwidth 0.75\n";
    text += "set xtics rotate by -40 noenhanced scale 0\n";
  } else {
    text += "set bars small\n";
    text += ideal_data(figure);
  }
  const std::string csv = stem + ".csv";
  const std::string plot = stacked ? bar_elements(figure, csv) : line_elements(figure, csv);
  for (const std::string& format : formats) {
    text += terminal_lines(figure, format);
    text += fmt::format("set output {}\n", quoted(stem + "." + format));
    text += format == formats.front() ? plot : "replot\n";
    text += "unset output\n";
  }
  return text;
}

namespace {

/// Where the child works and what becomes of its outputs.
class SpawnActions {
 public:
  SpawnActions(const fs::path& folder, const fs::path& messages) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions_, STDERR_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str());
  }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

std::string first_message(const fs::path& messages) {
  const std::string text = base::read_file(messages);
  const std::size_t start = text.find_first_not_of(" \n\t");
  if (start == std::string::npos) return "no message";
  // gnuplot shows the offending line and a caret before it says what is wrong.
  const std::size_t line = text.find("line ", start);
  const std::size_t begin = line == std::string::npos ? start : line;
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// A folder beside the figures in which they are drawn: a gnuplot that is missing or fails leaves
/// the pictures of another time alone.
class DrawingFolder {
 public:
  explicit DrawingFolder(const fs::path& path) : path_(path) { base::make_directories(path_); }
  ~DrawingFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  DrawingFolder(const DrawingFolder&) = delete;
  DrawingFolder& operator=(const DrawingFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// Runs `program script` in `folder`. Empty when it succeeded, else what went wrong.
std::string run(const std::string& program, const std::string& script, const fs::path& folder) {
  const fs::path messages = fs::absolute(folder / (script + ".messages"));
  const SpawnActions actions(folder, messages);
  std::string name = program;
  std::string argument = script;
  char* const arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, program.c_str(), actions.get(), nullptr, arguments, environ);
  std::error_code ignored;
  if (error != 0) {
    fs::remove(messages, ignored);
    return error == ENOENT
               ? fmt::format("{} is not installed (Debian package gnuplot-nox)", program)
               : fmt::format("cannot start {}: {}", program, std::strerror(error));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::string problem;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    problem = fmt::format("{} failed on {}: {}", program, script, first_message(messages));
  }
  fs::remove(messages, ignored);
  return problem;
}

/// Takes the time of drawing out of a PDF file, so that the same figure is the same file. The new
/// date is as long as the old one: PDF counts bytes.
void remove_date(const fs::path& pdf) {
  constexpr std::string_view kKey = "/CreationDate (D:";
  constexpr std::string_view kNoDate = "19700101000000";
  std::string content = base::read_file(pdf);
  const std::size_t found = content.find(kKey);
  if (found == std::string::npos) return;
  content.replace(found + kKey.size(), kNoDate.size(), kNoDate);
  base::write_file_atomically(pdf, content);
}

}  // namespace

const std::vector<std::string>& figure_formats() {
  static const std::vector<std::string> formats{"svg", "pdf", "png"};
  return formats;
}

Drawn write_figure(const Figure& figure, const fs::path& stem,
                   const std::vector<std::string>& formats, const std::string& program) {
  const std::string name = stem.filename().string();
  const fs::path folder = stem.has_parent_path() ? stem.parent_path() : fs::path(".");
  base::make_directories(folder);
  Drawn drawn;
  const auto file = [&](const std::string& ending) { return folder / (name + "." + ending); };
  const std::string csv = figure_csv(figure);
  const std::string script = gnuplot_script(figure, name, formats);
  base::write_file_if_changed(file("csv"), csv);
  base::write_file_if_changed(file("gp"), script);
  drawn.files = {file("csv"), file("gp")};
  const DrawingFolder drawing(folder / fmt::format(".{}-{}", name, getpid()));
  base::write_file_atomically(drawing.path() / (name + ".csv"), csv);
  base::write_file_atomically(drawing.path() / (name + ".gp"), script);
  drawn.problem = run(program, name + ".gp", drawing.path());
  if (!drawn.problem.empty()) return drawn;
  for (const std::string& format : formats) {
    const fs::path picture = drawing.path() / (name + "." + format);
    if (format == "pdf") remove_date(picture);
    std::error_code error;
    fs::rename(picture, file(format), error);
    if (error) throw base::RunError(file(format).string() + ": " + error.message());
    drawn.files.push_back(file(format));
  }
  return drawn;
}

}  // namespace dlscale::analysis
