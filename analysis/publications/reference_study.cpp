// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/reference_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace dlscale::analysis {
namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// Relative tolerance of an approximate value (relation "~").
constexpr double kAbout = 0.05;

/// Returns true for a printed value with its own unit, such as "520 ms" or "95%". This unit
/// replaces the unit of the column.
bool has_own_unit(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return c == '%' || (std::isalpha(c) != 0 && c != 'e' && c != 'E');
  });
}

std::string words(const Published& value) {
  std::string text = value.quantity;
  if (!value.statistic.empty()) text += " (" + value.statistic + ")";
  text += " " + value.relation;
  if (!value.text.empty()) text += " " + value.text;
  if (!value.unit.empty() && value.unit != "1" && !has_own_unit(value.text)) {
    text += " " + value.unit;
  }
  if (!value.along.empty()) text += " along " + value.along;
  if (!value.from.empty()) text += " from " + value.from;
  if (!value.to.empty()) text += " to " + value.to;
  return text;
}

}  // namespace

std::string Published::axis(const std::string& name) const {
  const auto found = axes.find(name);
  return found == axes.end() ? std::string() : found->second;
}

bool Published::is_value() const {
  return number && (relation == "=" || relation == "~" || relation[0] == '<' || relation[0] == '>');
}

Printed allowed(const Published& value) {
  Printed range = *value.number;
  if (value.relation == "~") {
    range.low = std::min(range.low, range.value * (1 - kAbout));
    range.high = std::max(range.high, range.value * (1 + kAbout));
  }
  if (value.relation[0] == '<') range = {range.value, -kUnbounded, range.value};
  if (value.relation[0] == '>') range = {range.value, range.value, kUnbounded};
  return range;
}

std::string describe(const Published& value) {
  std::string text = words(value);
  if (!value.axes.empty()) text += " at " + in_words(value.axes);
  if (!value.statement.empty()) text += " (" + value.statement + ")";
  return text;
}

std::string in_words(const std::map<std::string, std::string>& axes) {
  std::string text;
  for (const auto& [axis, cell] : axes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", axis, cell);
  }
  return text;
}

const Words& Publication::setting(const std::string& key) const {
  static const Words kNone;
  const auto found = settings.find(key);
  return found == settings.end() ? kNone : found->second;
}

const Definition* Publication::definition(const std::string& quantity) const {
  const auto found = definitions.find(quantity);
  return found == definitions.end() ? nullptr : &found->second;
}

}  // namespace dlscale::analysis
