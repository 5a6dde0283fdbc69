// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/svg_figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "analysis/report/figures/legend.hpp"
#include "analysis/report/html_text.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kTicks = 6;  // approximate number of ticks on a linear axis
// Fraction of an axis's range by which rounding errors may move a tick beyond the ends of the axis.
constexpr double kTolerance = 1e-9;

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value, int log_base) {
    if (!std::isfinite(value) || (log_base != 0 && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Returns the range enlarged by `share` of its length at both ends. A range with a single value or
/// without values becomes a range of positive length.
Span with_room(Span span, int log_base, double share) {
  if (span.low > span.high) return log_base != 0 ? Span{1, 10} : Span{0, 1};
  if (log_base != 0) {
    const double factor = std::max(std::pow(span.high / span.low, share), 1.1);
    return {span.low / factor, span.high * factor};
  }
  double room = share * (span.high - span.low);
  // Values that differ only by rounding errors count as one value. Otherwise the ticks between them
  // would be closer together than the rounding errors.
  const double largest = std::max(std::abs(span.low), std::abs(span.high));
  if (room <= kTolerance * largest) room = largest == 0 ? 1 : 0.1 * largest;
  return {span.low - room, span.high + room};
}

/// Returns the height of a bar, which is the sum of its parts.
double bar_height(const Figure& figure, std::size_t bar) {
  double sum = 0;
  for (const Series& part : figure.series) {
    if (std::isfinite(part.points[bar].y)) sum += part.points[bar].y;
  }
  return sum;
}

}  // namespace

SvgAxis::SvgAxis(double low, double high, int log_base, double from, double to)
    : low_(low), high_(high), log_base_(log_base), from_(from), to_(to) {}

double SvgAxis::at(double value) const {
  const double share = log_base_ != 0 ? std::log(value / low_) / std::log(high_ / low_)
                                      : (value - low_) / (high_ - low_);
  return from_ + share * (to_ - from_);
}

bool SvgAxis::shows(double value) const {
  const double slack = kTolerance * (high_ - low_);
  return std::isfinite(value) && value >= low_ - slack && value <= high_ + slack;
}

std::vector<double> SvgAxis::ticks() const {
  return log_base_ != 0 ? log_ticks() : linear_ticks();
}

std::vector<double> SvgAxis::linear_ticks() const {
  const double rough = (high_ - low_) / kTicks;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  for (double k = std::ceil(low_ / step - kTolerance); shows(k * step); ++k) {
    ticks.push_back(k * step);
  }
  return ticks;
}

std::vector<double> SvgAxis::log_ticks() const {
  // If the range contains only a few powers of ten, there are additional ticks at 2 and 5 times
  // these powers.
  const bool few = log_base_ == 10 && high_ / low_ < 1000;
  const std::vector<double> factors = few ? std::vector<double>{1, 2, 5} : std::vector<double>{1};
  std::vector<double> ticks;
  const double base = log_base_;
  for (double k = std::floor(std::log(low_) / std::log(base)); std::pow(base, k) <= high_; ++k) {
    for (const double factor : factors) {
      if (shows(factor * std::pow(base, k))) ticks.push_back(factor * std::pow(base, k));
    }
  }
  return ticks;
}

SvgAxis x_axis_of(const Figure& figure, double from, double to) {
  if (!figure.categories.empty()) {
    return {-0.5, static_cast<double>(figure.categories.size()) - 0.5, 0, from, to};
  }
  if (!figure.x.words.empty()) {
    return {-0.5, static_cast<double>(figure.x.words.size()) - 0.5, 0, from, to};
  }
  Span span;
  for (const double x : x_values(figure)) span.add(x, figure.x.log_base);
  const Span roomy = with_room(span, figure.x.log_base, 0.04);
  const bool starts_at_zero = figure.x.from_zero && figure.x.log_base == 0;
  return {starts_at_zero ? 0 : roomy.low, roomy.high, figure.x.log_base, from, to};
}

SvgAxis y_axis_of(const Figure& figure, double from, double to) {
  const int log_base = figure.y.log_base;
  Span span;
  for (std::size_t bar = 0; bar < figure.categories.size(); ++bar) {
    span.add(bar_height(figure, bar), log_base);
  }
  for (const Series& series : figure.series) {
    if (!figure.categories.empty()) break;
    for (const FigurePoint& point : series.points) {
      span.add(point.y, log_base);
      if (!point.bounds) continue;
      span.add(point.bounds->low, log_base);
      span.add(point.bounds->high, log_base);
    }
  }
  for (const auto& [x, y] : ideal_points(figure)) span.add(y, log_base);
  const Span roomy = with_room(span, log_base, 0.05);
  return {figure.y.from_zero && log_base == 0 ? 0 : roomy.low, roomy.high, log_base, from, to};
}

std::string plain_number(double value) {
  if (value == 0) return "0";  // prints -0 as 0
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

namespace {

constexpr double kWidth = 720;
constexpr double kHeight = 400;
constexpr double kLeft = 84;
constexpr double kRight = 16;
constexpr double kTop = 12;
constexpr double kBottom = 62;
constexpr double kBarRoom = 30;  // pixels for each bar or word; many of them widen a figure
constexpr double kLetter = 7.5;  // approximate width in pixels of a letter in the slanted bar names
constexpr std::size_t kMostLetters = 40;
constexpr std::size_t kMostInWords = 8;

/// SVG paths of the mark shapes, centred at the origin: circle, square, triangle, diamond, inverted
/// triangle.
constexpr std::array<const char*, kMarkShapes> kShapes{
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.6-3.6h7.2v7.2h-7.2z", "M0-4.8L4.6 3.4H-4.6z",
    "M0-5.2L4.4 0L0 5.2L-4.4 0z", "M0 4.8L4.6-3.4H-4.6z"};

std::string hundredths(double value) {
  return fmt::format("{:.6g}", std::round(100 * value) / 100);
}

std::string mark(std::size_t index, double x, double y, const std::string& words) {
  const std::size_t kind = index % kMarks;
  return fmt::format("<path class=\"mark{}\" d=\"{}\" transform=\"translate({} {})\">{}</path>",
                     kind < kMarkShapes ? "" : " hollow", kShapes[kind % kMarkShapes],
                     hundredths(x), hundredths(y), words);
}

std::string tooltip(const std::string& words) {
  return "<title>" + html_text(words) + "</title>";
}

/// Returns a text on a point, such as "ddp; GPUs 4: 0.9 [0.88, 0.93]".
std::string point_in_words(const Figure& figure, const Series& series, const FigurePoint& point) {
  std::string words = fmt::format("{}; {} {}: {}", series.label, figure.x.title,
                                  x_text(figure.x, point.x, &plain_number), plain_number(point.y));
  if (point.bounds) {
    words +=
        fmt::format(" [{}, {}]", plain_number(point.bounds->low), plain_number(point.bounds->high));
  }
  return words;
}

class SvgDrawing {
 public:
  SvgDrawing(const Figure& figure, std::string id)
      : figure_(figure),
        id_(std::move(id)),
        left_(std::max(kLeft, 0.82 * name_room(figure))),
        width_(std::max(kWidth, left_ + kRight +
                                    kBarRoom * static_cast<double>(figure.categories.size() +
                                                                   figure.x.words.size()))),
        foot_(kHeight - kBottom),
        height_(name_room(figure) == 0
                    ? kHeight
                    : foot_ + 0.58 * name_room(figure) + (figure.categories.empty() ? 46 : 24)),
        x_(x_axis_of(figure, left_, width_ - kRight)),
        y_(y_axis_of(figure, foot_, kTop)) {}

  double width() const { return width_; }
  double height() const { return height_; }

  /// Returns the content of the <svg> element.
  std::string content() {
    text_ = fmt::format("<title id=\"{0}-title\">{1}</title><desc id=\"{0}-words\">{2}</desc>\n",
                        id_, html_text(figure_.title), html_text(figure_in_words(figure_)));
    add_y_axis();
    if (figure_.categories.empty()) {
      add_x_ticks();
      add_x_title();
      for (std::size_t i = 0; i < figure_.series.size(); ++i) add_series(i);
      add_ideal();
    } else {
      add_hatches();
      add_bars();
    }
    return std::move(text_);
  }

 private:
  static std::size_t longest(const std::vector<std::string>& names) {
    std::size_t letters = 0;
    for (const std::string& name : names) letters = std::max(letters, name.size());
    return letters;
  }

  /// Returns the approximate length in pixels of the longest name of a bar or of an x value.
  /// Slanted names extend to the left and downwards.
  static double name_room(const Figure& figure) {
    const double letters = static_cast<double>(
        longest(figure.categories.empty() ? figure.x.words : figure.categories));
    const double room = (kWidth - kRight - kLeft) / static_cast<double>(figure.x.words.size());
    const bool is_level = figure.categories.empty() && kLetter * letters <= room;
    return is_level ? 0 : kLetter * std::min(letters, static_cast<double>(kMostLetters));
  }

  void add_y_axis() {
    const std::vector<double> few(std::begin(kFewOctaves), std::end(kFewOctaves));
    const double right = width_ - kRight;
    for (const double tick : spans_few_octaves(figure_) ? few : y_.ticks()) {
      if (!y_.shows(tick)) continue;
      text_ += fmt::format(
          "<path class=\"grid\" d=\"M{0} {1}H{2}\"/><text x=\"{3}\" y=\"{4}\" "
          "text-anchor=\"end\">{5}</text>\n",
          hundredths(left_), hundredths(y_.at(tick)), hundredths(right), hundredths(left_ - 8),
          hundredths(y_.at(tick) + 5), plain_number(tick));
    }
    text_ += fmt::format("<path class=\"axis\" d=\"M{0} {1}V{2}H{3}\"/>\n", hundredths(left_),
                         hundredths(kTop), hundredths(foot_), hundredths(right));
    text_ += fmt::format(
        "<text class=\"name\" transform=\"translate(16 {}) rotate(-90)\" "
        "text-anchor=\"middle\">{}</text>\n",
        hundredths((kTop + foot_) / 2), html_text(figure_.y.title));
  }

  /// Adds the names of an axis of words. Names that would overlap are slanted.
  void add_words() {
    const std::vector<std::string>& words = figure_.x.words;
    const double room = (width_ - kRight - left_) / static_cast<double>(words.size());
    const bool is_slanted = kLetter * static_cast<double>(longest(words)) > room;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const double x = x_.at(static_cast<double>(i));
      text_ +=
          fmt::format("<path class=\"axis\" d=\"M{0} {1}v5\"/>", hundredths(x), hundredths(foot_));
      if (is_slanted) {
        text_ += slanted_name(x, words[i]);
        continue;
      }
      text_ += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                           hundredths(x), hundredths(foot_ + 22), html_text(words[i]));
    }
  }

  std::string slanted_name(double x, const std::string& name) const {
    return fmt::format(
        "<text transform=\"translate({} {}) rotate(-35)\" text-anchor=\"end\">{}</text>\n",
        hundredths(x + 4), hundredths(foot_ + 16), html_text(name));
  }

  void add_x_ticks() {
    if (!figure_.x.words.empty()) return add_words();
    const std::set<double> xs = x_values(figure_);
    const bool of_points = ticks_are_points(figure_.x, xs);
    for (const double tick : of_points ? std::vector<double>(xs.begin(), xs.end()) : x_.ticks()) {
      text_ += fmt::format(
          "<path class=\"axis\" d=\"M{0} {1}v5\"/><text x=\"{0}\" y=\"{2}\" "
          "text-anchor=\"middle\">{3}</text>\n",
          hundredths(x_.at(tick)), hundredths(foot_), hundredths(foot_ + 22), plain_number(tick));
    }
  }

  void add_x_title() {
    text_ +=
        fmt::format("<text class=\"name\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n",
                    hundredths((left_ + width_ - kRight) / 2), hundredths(height_ - 8),
                    html_text(figure_.x.title));
  }

  double place(std::size_t series, double x) const { return x_.at(drawn_x(figure_, series, x)); }

  bool can_show(const FigurePoint& point) const {
    return std::isfinite(point.x) && std::isfinite(point.y) &&
           (figure_.y.log_base == 0 || point.y > 0) && (figure_.x.log_base == 0 || point.x > 0);
  }

  void add_series(std::size_t i) {
    const Series& series = figure_.series[i];
    text_ += fmt::format("<g class=\"c{}\">", series.color % kLineColors);
    if (has_band(figure_, series)) add_band(i);
    std::string line;
    for (const FigurePoint& point : series.points) {
      if (!can_show(point)) continue;
      line += fmt::format("{}{} {}", line.empty() ? "M" : "L", hundredths(place(i, point.x)),
                          hundredths(y_.at(point.y)));
    }
    const bool is_dashed = series.law || series.mark % kMarks >= kMarkShapes;
    if (has_line(figure_, series) && !line.empty()) {
      text_ += fmt::format("<path class=\"line{}\" d=\"{}\"/>", is_dashed ? " dashed" : "", line);
    }
    for (const FigurePoint& point : series.points) {
      if (has_marks(figure_, series) && can_show(point)) add_point(i, point);
    }
    text_ += "</g>\n";
  }

  void add_point(std::size_t i, const FigurePoint& point) {
    const Series& series = figure_.series[i];
    const double x = place(i, point.x);
    if (point.bounds && !figure_.band && y_.shows(point.bounds->low)) {
      text_ += fmt::format("<path class=\"bar\" d=\"M{0} {1}V{2}M{3} {1}h6M{3} {2}h6\"/>",
                           hundredths(x), hundredths(y_.at(point.bounds->low)),
                           hundredths(y_.at(point.bounds->high)), hundredths(x - 3));
    }
    if (point.box) {
      text_ += fmt::format("<path class=\"bar\" d=\"M{0} {2}H{1}V{3}H{0}z\"/>",
                           hundredths(place(i, point.x - kHalfBox)),
                           hundredths(place(i, point.x + kHalfBox)),
                           hundredths(y_.at(point.box->low)), hundredths(y_.at(point.box->high)));
    }
    text_ += mark(series.mark, x, y_.at(point.y), tooltip(point_in_words(figure_, series, point)));
    if (point.note.empty()) return;
    text_ += fmt::format("<text x=\"{}\" y=\"{}\">{}</text>", hundredths(x + 7),
                         hundredths(y_.at(point.y) - 5), html_text(point.note));
  }

  /// Adds the band of series `i`, whose outline follows the upper ends of the bounds and then
  /// returns along the lower ends. At a point without bounds, both ends are the point itself.
  void add_band(std::size_t i) {
    std::string there;
    std::string back;
    bool is_wide = false;
    for (const FigurePoint& point : figure_.series[i].points) {
      const Bounds bounds = point.bounds.value_or(Bounds{point.y, point.y});
      if (!can_show(point) || !y_.shows(bounds.low) || !y_.shows(bounds.high)) continue;
      is_wide |= point.bounds.has_value();
      const std::string x = hundredths(place(i, point.x));
      there += fmt::format("{}{} {}", there.empty() ? "M" : "L", x, hundredths(y_.at(bounds.high)));
      back = fmt::format("L{} {}", x, hundredths(y_.at(bounds.low))) + back;
    }
    if (is_wide) text_ += fmt::format("<path class=\"band\" d=\"{}{}z\"/>", there, back);
  }

  void add_ideal() {
    std::string line;
    for (const auto& [x, y] : ideal_points(figure_)) {
      if (!can_show({x, y, {}})) continue;
      line += fmt::format("{}{} {}", line.empty() ? "M" : "L", hundredths(x_.at(x)),
                          hundredths(y_.at(y)));
    }
    if (!line.empty()) text_ += fmt::format("<path class=\"ideal\" d=\"{}\"/>\n", line);
  }

  /// Adds the fill patterns of stacked parts. They combine the colour with hatching, so that the
  /// parts can be distinguished without colours.
  void add_hatches() {
    text_ += "<defs>";
    for (std::size_t part = 0; part < figure_.series.size(); ++part) {
      if (!has_part(figure_.series[part])) continue;
      const std::size_t color = figure_.series[part].color % kColors.size();
      text_ += fmt::format(
          "<pattern id=\"{0}-part{1}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\" "
          "patternTransform=\"rotate({2})\"><rect class=\"c{3} part\" width=\"8\" height=\"8\"/>"
          "{4}</pattern>",
          id_, part, 45 * part, color,
          part == 0 ? "" : fmt::format("<path class=\"hatch\" d=\"M0 {}H8\"/>", 1 + part % 4));
    }
    text_ += "</defs>\n";
  }

  void add_bars() {
    const double bar_width = 0.7 * (x_.at(1) - x_.at(0));
    for (std::size_t bar = 0; bar < figure_.categories.size(); ++bar) {
      const double x = x_.at(static_cast<double>(bar));
      double sum = 0;
      for (std::size_t part = 0; part < figure_.series.size(); ++part) {
        const double height = figure_.series[part].points[bar].y;
        if (!(height > 0)) continue;
        const double top = y_.at(sum + height);
        text_ += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#{}-part{})\">{}</rect>",
            hundredths(x - bar_width / 2), hundredths(top), hundredths(bar_width),
            hundredths(y_.at(sum) - top), id_, part,
            tooltip(fmt::format("{}; {}: {}", figure_.categories[bar], figure_.series[part].label,
                                plain_number(height))));
        sum += height;
      }
      text_ += slanted_name(x, figure_.categories[bar]);
    }
  }

  const Figure& figure_;
  std::string id_;
  double left_;
  double width_;
  double foot_;
  double height_;
  SvgAxis x_;
  SvgAxis y_;
  std::string text_;
};

constexpr const char* kSwatch =
    "<svg{} width=\"28\" height=\"14\" viewBox=\"0 0 28 14\" "
    "aria-hidden=\"true\">{}</svg>";

/// Returns the legend symbol of series `i`: a line with a mark, or the fill pattern of a stacked
/// part. `place` contains the attributes that position the symbol.
std::string swatch(const Figure& figure, std::size_t i, const std::string& id,
                   const std::string& place) {
  const Series& series = figure.series[i];
  std::string drawn;
  if (!figure.categories.empty()) {
    drawn = fmt::format(
        "<rect x=\"4\" y=\"1\" width=\"20\" height=\"12\" fill=\"url(#{}-part{})\"/>", id, i);
  } else {
    if (has_line(figure, series)) {
      const bool is_dashed = series.law || series.mark % kMarks >= kMarkShapes;
      drawn = fmt::format("<path class=\"line{}\" d=\"M0 7H28\"/>", is_dashed ? " dashed" : "");
    }
    if (has_marks(figure, series)) drawn += mark(series.mark, 14, 7, "");
  }
  const std::size_t color =
      series.color % (figure.categories.empty() ? kLineColors : kColors.size());
  return fmt::format(kSwatch, fmt::format(" class=\"c{}\"{}", color, place), drawn);
}

std::string ideal_swatch(const std::string& place) {
  return fmt::format(kSwatch, place, "<path class=\"ideal\" d=\"M0 7H28\"/>");
}

/// Returns true if the legend contains this series. Parts of stacked bars without any height are
/// left out.
bool is_in_legend(const Figure& figure, const Series& series) {
  return figure.categories.empty() || has_part(series);
}

constexpr double kTextLetter = 8.2;   // approximate width in pixels of a letter of size 14
constexpr double kTitleLetter = 9.8;  // approximate width in pixels of a bold letter of size 16
constexpr double kLine = 22;          // distance in pixels between lines of text

/// Returns the CSS style of a separate SVG file. It equals the light theme of the HTML page.
std::string file_style() {
  std::string style =
      "text{fill:#1b1f24;font:15px Arial,Helvetica,sans-serif}.name,.quiet{fill:#4d5661}"
      ".title{font-size:16px;font-weight:bold}.small{font-size:14px}"
      ".grid{stroke:#d5dae0;fill:none}.axis{stroke:#4d5661;fill:none}"
      ".ideal{stroke:#000000;stroke-width:1.5;stroke-dasharray:6 4;fill:none}"
      ".line{stroke-width:2;fill:none}.dashed{stroke-dasharray:3 3}"
      ".bar{stroke-width:1.2;fill:none}.band{fill-opacity:0.18}"
      ".hatch{stroke:#ffffff;stroke-width:1.6;fill:none}\n";
  for (std::size_t i = 0; i < kColors.size(); ++i) {
    style += fmt::format(
        ".c{0} .line,.c{0} .bar,.c{0} .mark{{stroke:{1}}}.c{0} .mark,.c{0} .band,.c{0}.part{{fill:{"
        "1}}}\n",
        i, kColors[i]);
  }
  return style + ".mark.hollow{fill:#ffffff;stroke-width:1.6}";
}

/// Returns the text split at spaces into lines of at most `letters` letters. A longer word gets its
/// own line. The result has at least one line.
std::vector<std::string> wrapped(const std::string& text, double letters) {
  std::vector<std::string> lines;
  for (const std::string_view word : base::split(text, ' ')) {
    const bool fits =
        !lines.empty() && static_cast<double>(lines.back().size() + 1 + word.size()) <= letters;
    if (fits) {
      lines.back() += " " + std::string(word);
    } else {
      lines.emplace_back(word);
    }
  }
  return lines;
}

/// Writer of the title, the subtitle and the legend of a separate SVG file. It places text lines
/// and legend entries one below the other, starting at `y`.
struct Margin {
  double width;
  double y = 8;
  std::string text = {};

  void add_lines(const std::string& words, const char* classes, double letter) {
    if (words.empty()) return;
    for (const std::string& line : wrapped(words, (width - 2 * kRight) / letter)) {
      y += kLine;
      text += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", classes, kRight,
                          hundredths(y), html_text(line));
    }
  }

  void add_legend(const Figure& figure, const std::string& id) {
    std::vector<std::pair<std::function<std::string(const std::string&)>, std::string>> entries;
    for (std::size_t i = 0; i < figure.series.size(); ++i) {
      if (!is_in_legend(figure, figure.series[i])) continue;
      entries.emplace_back(
          [&figure, i, &id](const std::string& place) { return swatch(figure, i, id, place); },
          figure.series[i].label);
    }
    if (entries.empty()) return;
    if (figure.ideal) entries.emplace_back(&ideal_swatch, figure.ideal->label);
    add_lines(figure.legend_title, "small quiet", kTextLetter);
    double x = width;  // no room is left, so that the first entry starts a new line
    for (const auto& [swatch_at, label] : entries) {
      const double room = 52 + kTextLetter * static_cast<double>(label.size());
      if (x + room > width) {
        x = kRight;
        y += kLine;
      }
      text += swatch_at(fmt::format(" x=\"{}\" y=\"{}\"", hundredths(x), hundredths(y - 12)));
      y -= kLine;
      for (const std::string& line : wrapped(label, (width - kRight - 52) / kTextLetter)) {
        y += kLine;
        text += fmt::format("<text class=\"small\" x=\"{}\" y=\"{}\">{}</text>\n",
                            hundredths(x + 36), hundredths(y), html_text(line));
      }
      x += room;
    }
  }
};

}  // namespace

std::string figure_in_words(const Figure& figure) {
  std::string words = figure.subtitle + ". ";
  if (!figure.categories.empty()) {
    return words + fmt::format("Stacked bars of {}, one for each of {} points.", figure.y.title,
                               figure.categories.size());
  }
  const auto x_of = [&](const FigurePoint& point) {
    return x_text(figure.x, point.x, &plain_number);
  };
  words += fmt::format("{} over {}.", figure.y.title, figure.x.title);
  for (std::size_t i = 0; i < std::min(kMostInWords, figure.series.size()); ++i) {
    const Series& series = figure.series[i];
    if (series.points.empty()) continue;
    const FigurePoint& first = series.points.front();
    const FigurePoint& last = series.points.back();
    words += fmt::format(" {}: {} at {}", series.label, plain_number(first.y), x_of(first));
    if (series.points.size() > 1) {
      words += fmt::format(" to {} at {}", plain_number(last.y), x_of(last));
    }
    words += ".";
  }
  if (figure.series.size() > kMostInWords) {
    words += fmt::format(" And {} more.", figure.series.size() - kMostInWords);
  }
  return words;
}

std::string svg_figure(const Figure& figure, const std::string& id) {
  SvgDrawing drawing(figure, id);
  return fmt::format(
             "<svg{3} viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
             "aria-labelledby=\"{2}-title {2}-words\">\n",
             hundredths(drawing.width()), hundredths(drawing.height()), id,
             drawing.width() > kWidth ? " class=\"wide\"" : "") +
         drawing.content() + "</svg>\n";
}

std::string svg_file(const Figure& figure, const std::string& id) {
  SvgDrawing drawing(figure, id);
  Margin margin{drawing.width()};
  margin.add_lines(figure.title, "title", kTitleLetter);
  margin.add_lines(figure.subtitle, "small quiet", kTextLetter);
  const double top = margin.y + 12;
  const std::string content = drawing.content();
  margin.y = top + drawing.height() - 4;
  margin.add_legend(figure, id);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
      "height=\"{1}\" role=\"img\" aria-labelledby=\"{2}-title {2}-words\">\n<style>{3}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
      "<g transform=\"translate(0 {4})\">\n{5}</g>\n{6}</svg>\n",
      hundredths(drawing.width()), hundredths(margin.y + 16), id, file_style(), hundredths(top),
      content, margin.text);
}

std::string svg_legend(const Figure& figure, const std::string& id) {
  std::string items;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    if (!is_in_legend(figure, figure.series[i])) continue;
    items += fmt::format("<li>{}{}</li>\n", swatch(figure, i, id, ""),
                         html_text(figure.series[i].label));
  }
  if (items.empty()) return "";
  if (figure.ideal) {
    items += fmt::format("<li>{}{}</li>\n", ideal_swatch(""), html_text(figure.ideal->label));
  }
  const std::string title =
      figure.legend_title.empty()
          ? ""
          : fmt::format("<p class=\"legend-title\">{}</p>\n", html_text(figure.legend_title));
  return "<div class=\"legend-box\">\n" + title + "<ul class=\"legend\">\n" + items +
         "</ul>\n</div>\n";
}

}  // namespace dlscale::analysis
