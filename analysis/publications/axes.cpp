// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>

#include "analysis/publications/published_series.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Range {
  double low, high;
};

std::optional<Range> to_range(std::string_view text) {
  const std::size_t dots = text.find("..");
  if (dots != std::string_view::npos) {
    const auto low = base::number_of<double>(text.substr(0, dots)),
               high = base::number_of<double>(text.substr(dots + 2));
    if (low && high) return Range{*low, *high};
    return std::nullopt;
  }
  const bool below = text.starts_with('<'), above = text.starts_with('>');
  if (!below && !above) return std::nullopt;
  const bool closed = text.size() > 1 && text[1] == '=';
  const auto limit = base::number_of<double>(text.substr(closed ? 2 : 1));
  if (!limit) return std::nullopt;
  if (below) return Range{-kNoLimit, closed ? *limit : std::nextafter(*limit, -kNoLimit)};
  return Range{closed ? *limit : std::nextafter(*limit, kNoLimit), kNoLimit};
}

}  // namespace

std::string comparable(std::string_view name) {
  std::string text = base::lower(name);
  std::erase_if(text, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return text;
}

AxisCell::AxisCell(std::string_view text) {
  if (text.empty() || text == "*") {
    any_ = true;
    unsaid_ = text.empty();
    return;
  }
  if (text.starts_with('?')) {
    unsaid_ = true;
    text.remove_prefix(1);
  }
  if (const auto range = to_range(text)) {
    range_ = true;
    low_ = range->low;
    high_ = range->high;
    return;
  }
  for (const std::string_view word : base::split(text, '|')) words_.push_back(comparable(word));
}

std::optional<double> AxisCell::number() const {
  return words_.size() == 1 ? base::number_of<double>(words_[0]) : std::nullopt;
}

bool AxisCell::has(const std::string& word) const {
  if (any_) return true;
  if (!range_) return std::find(words_.begin(), words_.end(), word) != words_.end();
  const auto value = base::number_of<double>(word);
  return value && *value >= low_ && *value <= high_;
}

bool AxisCell::meets(const AxisCell& other) const {
  if (any_ || other.any_) return true;
  if (range_ && other.range_) return low_ <= other.high_ && other.low_ <= high_;
  if (other.range_) return other.meets(*this);
  return std::any_of(other.words_.begin(), other.words_.end(),
                     [&](const std::string& word) { return has(word); });
}

bool AxisCell::contains(const AxisCell& other) const {
  if (any_) return true;
  if (other.any_) return false;
  if (other.range_) return range_ && low_ <= other.low_ && other.high_ <= high_;
  return std::all_of(other.words_.begin(), other.words_.end(),
                     [&](const std::string& word) { return has(word); });
}

// A table of weak scaling has a different global batch in every row, and a table of strong scaling
// has a different batch per GPU in every row. If these columns distinguished curves, each curve
// would have a single point and the rules could not compare anything. AxisRoles therefore finds the
// axes that are proportional or inversely proportional to the GPU count.

namespace {

/// Axes that describe the conditions of a measurement. They distinguish curves only if
/// find_conditions() finds this necessary. It tests them in this order, so that curves are split by
/// device before they are split by the nodes that contain the devices.
constexpr std::array<std::string_view, 12> kConditions{"device", "setup",   "repeats", "nodes",
                                                       "note",   "notes",   "comment", "comments",
                                                       "remark", "remarks", "hosts",   "date"};

bool is_condition(const std::string& axis) {
  return std::find(kConditions.begin(), kConditions.end(), axis) != kConditions.end();
}

}  // namespace

AxisRoles::AxisRoles(const std::vector<PlacedValue>& values, const std::string& axis)
    : axis_(axis) {
  for (const std::string_view condition : kConditions) conditions_.emplace(condition);
  find_conditions(values);
  if (is_scaling_axis(axis)) find_forms(values);
}

std::map<std::string, std::string> AxisRoles::curve_of(const PlacedValue& placed) const {
  std::map<std::string, std::string> curve;
  for (const auto& [name, cell] : placed.value->axes) {
    if (name == axis_ || conditions_.contains(name)) continue;
    const auto form = forms_.find(name);
    const auto number = AxisCell(cell).number();
    if (form == forms_.end() || !number || placed.at <= 0) {
      curve[name] = cell;
    } else if (form->second == Form::per_count) {
      curve[name + "/" + axis_] = fmt::format("{:.9g}", *number / placed.at);
    } else {
      curve[name + "*" + axis_] = fmt::format("{:.9g}", *number * placed.at);
    }
  }
  return curve;
}

/// Makes a condition distinguish curves if a curve would otherwise have several values of the
/// condition at the same count.
void AxisRoles::find_conditions(const std::vector<PlacedValue>& values) {
  for (const std::string_view condition : kConditions) {
    const std::string name(condition);
    std::map<std::tuple<std::string, std::string, double, std::map<std::string, std::string>>,
             std::string>
        cells;
    for (const PlacedValue& placed : values) {
      const std::string cell = placed.value->axis(name);
      if (cell.empty()) continue;
      const auto [known, is_new] = cells.try_emplace(
          {placed.value->quantity, placed.value->statistic, placed.at, curve_of(placed)}, cell);
      if (!is_new && known->second != cell) conditions_.erase(name);
    }
  }
}

void AxisRoles::find_forms(const std::vector<PlacedValue>& values) {
  std::set<std::string> names;
  for (const PlacedValue& placed : values) {
    for (const auto& [name, cell] : placed.value->axes) {
      if (name != axis_ && !is_condition(name) && AxisCell(cell).number()) names.insert(name);
    }
  }
  for (const std::string& name : names) {
    const std::size_t plain = curves_with(values, name, Form::plain);
    const std::size_t per = curves_with(values, name, Form::per_count);
    const std::size_t times = curves_with(values, name, Form::times_count);
    if (per < plain && per <= times) forms_[name] = Form::per_count;
    if (times < plain && times < per) forms_[name] = Form::times_count;
  }
}

std::size_t AxisRoles::curves_with(const std::vector<PlacedValue>& values, const std::string& name,
                                   Form form) {
  const auto before = forms_;
  forms_.erase(name);
  if (form != Form::plain) forms_[name] = form;
  std::set<std::tuple<std::string, std::string, std::map<std::string, std::string>>> curves;
  for (const PlacedValue& placed : values) {
    curves.insert({placed.value->quantity, placed.value->statistic, curve_of(placed)});
  }
  forms_ = before;
  return curves.size();
}

}  // namespace dlscale::analysis
