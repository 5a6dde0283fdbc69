// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "analysis/publications/axes.hpp"

namespace dlscale::analysis {
namespace {

constexpr std::array<std::string_view, 6> kDescriptive{"device", "setup",   "nodes",
                                                       "epochs", "repeats", "system"};
/// Axes that third-party logs often do not state. A result that lacks such an axis can still match
/// a published value.
constexpr std::array<std::string_view, 4> kOftenUnsaid{"framework", "model", "loader",
                                                       "lr_schedule"};

template <class Names>
bool among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool along_counts(const Published& published) {
  return published.along == "gpus" || published.along == "cores";
}

/// Returns the axes of a published value. A claim about the change from one count to another is
/// compared with the result at the second count.
std::map<std::string, std::string> axes_of(const Published& published) {
  auto axes = published.axes;
  if (along_counts(published)) axes[published.along] = published.to;
  return axes;
}

bool is_about(const Published& published, const OwnPoint& own, std::set<std::string>& unsaid) {
  std::set<std::string> missing;
  bool counted = false;
  for (const auto& [axis, cell] : axes_of(published)) {
    if (among(kDescriptive, axis)) continue;
    const auto value = own.axes.find(axis);
    if (value == own.axes.end() || value->second.empty()) {
      if (!among(kOftenUnsaid, axis)) return false;
      missing.insert(axis);
    } else if (!AxisCell(cell).meets(AxisCell(value->second))) {
      return false;
    }
    counted = counted || axis == "gpus" || axis == "cores";
  }
  if (counted) unsaid.merge(missing);
  return counted;
}

std::string own_in_words(const OwnPoint& own) {
  const auto cores = own.axes.find("cores");
  std::string text = cores != own.axes.end() ? "cores " + cores->second
                                             : "gpus " + std::to_string(own.point->gpus);
  for (const AxisValue& value : own.curve->key) text += ", " + value.axis + " " + value.value;
  return text;
}

bool is_comparable(const Published& published) {
  const bool change = published.relation == "gain" || published.relation == "times";
  return published.is_value() || (change && published.number && along_counts(published));
}

}  // namespace

Comparison compare(const Publication& publication, const std::vector<OwnPoint>& points) {
  Comparison comparison;
  for (const Published& published : publication.values) {
    if (!is_comparable(published)) continue;
    const std::size_t before = comparison.matches.size();
    for (const OwnPoint& own : points) {
      std::set<std::string> unsaid;
      if (!is_about(published, own, unsaid)) continue;
      const auto value = measured_value(publication, published, own);
      if (!value) continue;
      comparison.matches.push_back({&published, own_in_words(own), *value});
      comparison.unsaid.merge(unsaid);
    }
    if (comparison.matches.size() == before) comparison.unmatched.push_back(&published);
  }
  return comparison;
}

double difference(const Published& published, double own) {
  const Printed& number = *published.number;
  const bool range = published.text.find("..") != std::string::npos;
  if (!range && (published.relation == "=" || published.relation == "~" ||
                 published.relation == "gain" || published.relation == "times")) {
    return own / number.value - 1;
  }
  const Printed kept = allowed(published);
  if (own < kept.low) return own / kept.low - 1;
  return own > kept.high ? own / kept.high - 1 : 0;
}

std::string verdict(const Match& match) {
  const Estimate& own = match.own;
  const bool bare = own.interval.kind == Interval::Kind::None;
  const double low = bare ? own.value : own.interval.low;
  const double high = bare ? own.value : own.interval.high;
  const Printed kept = allowed(*match.published);
  if (high < kept.low) return "lower";
  return low > kept.high ? "higher" : "agrees";
}

}  // namespace dlscale::analysis
