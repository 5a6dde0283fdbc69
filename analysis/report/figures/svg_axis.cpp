// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/figures/svg_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dlscale::analysis {
namespace {

constexpr double kTicks = 6;         // about so many on a linear axis
constexpr double kTolerance = 1e-9;  // of the range: what rounding may do to a tick at its end

struct Span {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value, int log_base) {
    if (!std::isfinite(value) || (log_base != 0 && value <= 0)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Room beside the outermost values; also where there is one value, or none.
Span with_room(Span span, int log_base, double share) {
  if (span.low > span.high) return log_base != 0 ? Span{1, 10} : Span{0, 1};
  if (log_base != 0) {
    const double factor = std::max(std::pow(span.high / span.low, share), 1.1);
    return {span.low / factor, span.high * factor};
  }
  double room = share * (span.high - span.low);
  if (room == 0) room = span.high == 0 ? 1 : 0.1 * std::abs(span.high);
  return {span.low - room, span.high + room};
}

/// The height of a bar: its parts on top of each other.
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
  // Between powers of ten that are few, their halves and fifths, too.
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
  if (value == 0) return "0";  // never -0
  const bool whole = value == std::floor(value) && std::abs(value) < 1e15;
  return whole ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
}

}  // namespace dlscale::analysis
