// SPDX-License-Identifier: Apache-2.0
//
// Tables seldom name a column as the rules do, and a heading that is not recognised is dangerous:
// as an axis it puts each row on a curve of its own, and no rule compares anything. A heading is
// therefore taken apart into its name, its unit and remarks in brackets. Names and units are known
// in table_names.cpp and reference_value.cpp, which this file combines.
#include "analysis/publications/column_heading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/publications/reference_value.hpp"
#include "analysis/publications/table_names.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

struct Bracket {
  std::size_t begin = 0, end = 0;  ///< of the text, brackets included
  bool is_square = false;
  std::string text;  ///< within the brackets
};

/// Returns the closed brackets of a heading from left to right.
std::vector<Bracket> brackets_of(const std::string& text) {
  std::vector<Bracket> found;
  for (std::size_t at = text.find_first_of("[("); at != text.npos;) {
    const bool is_square = text[at] == '[';
    const std::size_t close = text.find(is_square ? ']' : ')', at);
    if (close == text.npos) break;
    found.push_back({at, close + 1, is_square,
                     std::string(base::trimmed(text.substr(at + 1, close - at - 1)))});
    at = text.find_first_of("[(", close);
  }
  return found;
}

/// The heading without a pair of brackets: "Throughput per GPU" for "Throughput (img/s) per GPU".
std::string without(const std::string& text, const Bracket& bracket) {
  const std::string_view whole = text;
  return std::string(
      base::trimmed(fmt::format("{} {}", base::trimmed(whole.substr(0, bracket.begin)),
                                base::trimmed(whole.substr(bracket.end)))));
}

std::optional<std::string> quantity_of(std::string_view name) {
  return known_quantity(name.substr(0, name.find('@')));
}

/// True if round brackets hold the unit of the name beside them. Counts, as of "Params (M)" and
/// "Batch (images)", are settings, and "Throughput (min)" is a minimum.
bool is_unit_of(const std::string& name, const std::string& text) {
  const auto unit = parse_unit(text);
  if (!unit) return false;
  if (unit->cell && unit->cell->kind == UnitKind::count) return false;
  const std::string usual = usual_unit(quantity_of(name).value_or(""));
  const bool is_ratio = unit->dimension == Dimension{};
  return usual.empty() || parse_unit(usual)->dimension == unit->dimension || is_ratio;
}

ColumnHeading measured_heading(const std::string& text, const std::string& unit) {
  ColumnHeading heading{.name = text.substr(0, text.find('@')), .unit = unit, .is_measured = true};
  if (const std::size_t at = text.find('@'); at != text.npos) {
    heading.statistic = text.substr(at + 1);
  }
  const auto found = parse_unit(unit);
  const CellUnit cell = found && found->cell ? *found->cell : CellUnit{};
  const bool is_rate = cell.kind == UnitKind::rate && cell.thing == "sample";
  if (const auto quantity = known_quantity(heading.name)) {
    heading.name = *quantity;
  } else if (is_rate && is_speed_name(heading.name)) {
    heading.name = "throughput";
  }
  if (heading.name == "throughput" && cell.per_gpu) {
    const bool is_node = unit.find("ode") != std::string::npos;
    heading.name = is_node ? "throughput_per_node" : "throughput_per_gpu";
  }
  return heading;
}

/// "Throughput" and "img/s" of "Throughput, img/s", "throughput_img_per_s" and "Time in seconds".
std::optional<ColumnHeading> with_unit_behind(const std::string& text) {
  for (std::size_t at = text.find_first_of(" _,"); at != text.npos;
       at = text.find_first_of(" _,", at + 1)) {
    const std::string name(base::trimmed(text.substr(0, at)));
    std::string unit(base::trimmed(text.substr(at + 1)));
    std::replace(unit.begin(), unit.end(), '_', ' ');
    if (unit.starts_with("in ")) unit = base::trimmed(unit.substr(3));
    const bool has_unit = !usual_unit(quantity_of(name).value_or("")).empty();
    if (has_unit && is_unit_of(name, unit)) return measured_heading(name, unit);
  }
  return std::nullopt;
}

/// A speed-up or an efficiency, which need no unit. "Ideal speedup" keeps its name: no rule reads
/// values that were not measured.
std::optional<ColumnHeading> read_ratio(const std::string& text) {
  const std::size_t behind = is_ideal_name(text) ? text.find_first_of(" _-") : text.npos;
  const std::string name = behind == text.npos ? text : text.substr(behind + 1);
  if (usual_unit(quantity_of(name).value_or("")) != "1") return std::nullopt;
  ColumnHeading heading = measured_heading(text, "1");
  heading.has_unit = false;
  return heading;
}

/// A heading without a unit in brackets. `whole` is the heading with its remarks in brackets.
ColumnHeading read_plain(const std::string& text, const std::string& whole) {
  std::string unit = text.substr(0, text.find('@'));
  std::replace(unit.begin(), unit.end(), '_', ' ');
  const auto quantity = quantity_of(text);
  if (quantity && parse_unit(unit)) return measured_heading(text, unit);
  if (auto heading = with_unit_behind(text)) return *heading;
  if (auto heading = read_ratio(text)) return *heading;
  ColumnHeading heading{.name = whole};
  if (const std::string usual = usual_unit(quantity.value_or("")); !usual.empty()) {
    heading.problem = fmt::format(
        "column \"{0}\" names no unit: write it in brackets, as \"{0} [{1}]\"", whole, usual);
    return heading;
  }
  const auto axis = known_scaling_axis(text);
  if (axis && whole.find("per ") == whole.npos) heading.name = *axis;
  heading.is_guess = !axis && !is_usual_setting(text);
  return heading;
}

/// "model" for "# model", the first heading of a header that was written as a comment; "# GPUs" as
/// it is.
std::string without_hash(const std::string& text) {
  if (!text.starts_with('#') || known_scaling_axis(text)) return text;
  const std::string name(base::trimmed(std::string_view(text).substr(1)));
  return name.starts_with("of ") || name.empty() ? text : name;
}

/// Returns the bracket that holds the unit of a heading; the end if no bracket does.
std::vector<Bracket>::const_iterator unit_among(const std::vector<Bracket>& brackets,
                                                const std::string& text) {
  const auto square = std::find_if(brackets.begin(), brackets.end(),
                                   [](const Bracket& one) { return one.is_square; });
  if (square != brackets.end()) return square;
  return std::find_if(brackets.begin(), brackets.end(),
                      [&](const Bracket& one) { return is_unit_of(without(text, one), one.text); });
}

}  // namespace

ColumnHeading read_column_heading(const std::string& printed) {
  const std::string text = without_hash(printed);
  if (text.empty()) return {.problem = "a column without a name"};
  const std::size_t open = text.find(" [");
  if (open != text.npos && text.find(']', open) == text.npos) {
    return {.problem = fmt::format("\"{}\": ] is missing", text)};
  }
  const std::vector<Bracket> brackets = brackets_of(text);
  const auto unit = unit_among(brackets, text);
  const bool has_unit = unit != brackets.end();
  if (has_unit && !parse_unit(unit->text)) {
    return {.problem = fmt::format("unknown unit \"{}\"", unit->text)};
  }
  const std::string whole = has_unit ? without(text, *unit) : text;
  const std::vector<Bracket> remarks = brackets_of(whole);
  std::string name = whole, remark;
  if (!remarks.empty() && !is_ideal_name(remarks.back().text)) {
    name = without(whole, remarks.back());
    remark = remarks.back().text;
  }
  const bool is_known = quantity_of(name).has_value();
  ColumnHeading heading = !has_unit  ? read_plain(name, text)
                          : is_known ? measured_heading(name, unit->text)
                                     : measured_heading(whole, unit->text);
  if (heading.is_measured && is_known && heading.statistic.empty()) heading.statistic = remark;
  heading.heading = whole;
  return heading;
}

}  // namespace dlscale::analysis
