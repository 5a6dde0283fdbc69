// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/contradiction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

namespace dlscale::analysis {
namespace {

/// Largest number of values that a finding lists. More values would not add information.
constexpr std::size_t kShownValues = 6;

std::string place_text(const base::Location& place) {
  return fmt::format("{}:{}", std::filesystem::path(place.file).filename().string(), place.line);
}

/// Returns the axis cells that all values share, so that a finding can state them once. Returns no
/// cells for a single value.
std::map<std::string, std::string> common_axes(const Evidence& evidence) {
  std::map<std::string, std::string> common;
  if (evidence.size() < 2) return common;
  for (const auto& [axis, cell] : evidence[0]->axes) {
    const bool same = std::all_of(evidence.begin(), evidence.end(), [&](const Published* value) {
      return value->axis(axis) == cell;
    });
    if (same) common[axis] = cell;
  }
  return common;
}

}  // namespace

std::vector<Contradiction> find_contradictions(const Publication& publication) {
  std::vector<Contradiction> found;
  for (const ContradictionRule* rule : contradiction_rules()) {
    for (Finding& finding : rule->find(publication)) found.push_back({rule, std::move(finding)});
  }
  return found;
}

Finding finding_of(const Evidence& evidence, std::string meaning) {
  Finding finding{"", "", std::move(meaning)};
  const std::map<std::string, std::string> common = common_axes(evidence);
  std::set<std::string> named;
  for (std::size_t i = 0; i < std::min(evidence.size(), kShownValues); ++i) {
    Published value = *evidence[i];
    if (named.insert(where_of(value)).second) {
      finding.where += (finding.where.empty() ? "" : ", ") + where_of(value);
    }
    std::erase_if(value.axes, [&](const auto& cell) { return common.contains(cell.first); });
    finding.values += (i == 0 ? "" : "; ") + describe(value);
  }
  if (evidence.size() > kShownValues) {
    finding.values += fmt::format("; and {} more", evidence.size() - kShownValues);
  }
  if (!common.empty()) finding.values += "; all at " + in_words(common);
  return finding;
}

std::string where_of(const Published& value) {
  const std::string place = place_text(value.place);
  return value.where.empty() ? place : place + " (" + value.where + ")";
}

Finding finding_at(const base::Location& place, std::string values, std::string meaning) {
  return {place_text(place), std::move(values), std::move(meaning)};
}

}  // namespace dlscale::analysis
