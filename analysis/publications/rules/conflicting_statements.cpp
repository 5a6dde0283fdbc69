// SPDX-License-Identifier: Apache-2.0
// Rule: two statements about one point do not contradict each other.
#include <algorithm>
#include <set>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"

namespace dlscale::analysis {
namespace {

bool is_trend(const Published& value) {
  return value.relation == "rises" || value.relation == "falls";
}

Dimension dimension_of(const Published& value) {
  const auto unit = parse_unit(value.unit);
  return unit ? unit->dimension : Dimension{};
}

bool is_comparable(const Published& a, const Published& b) {
  if (a.quantity != b.quantity || a.statistic != b.statistic) return false;
  if (is_trend(a) && is_trend(b)) {
    return a.along == b.along && a.from == b.from && a.to == b.to;
  }
  if (a.is_value() && b.is_value()) {
    return dimension_of(a) == dimension_of(b);
  }
  return a.relation == "=" && b.relation == "=" && !a.number && !b.number;
}

bool differ(const Published& a, const Published& b) {
  if (is_trend(a)) return a.relation != b.relation;
  if (a.is_value()) return !overlap(allowed(a), allowed(b));
  return a.text != b.text;
}

/// Returns true if a statement with the cell `other` can contradict a statement with the cell
/// `open`. A cell that leaves open which of several values it means is contradicted only by a
/// statement about all these values.
bool denies(const AxisCell& open, const AxisCell& other) {
  return !open.is_unsaid() || (other.contains(open) && !other.is_unsaid());
}

bool are_about_one_point(const Published& a, const Published& b) {
  auto axes = a.axes;
  axes.insert(b.axes.begin(), b.axes.end());
  return std::all_of(axes.begin(), axes.end(), [&](const auto& axis) {
    if (axis.first == a.along) return true;
    const std::string text_a = a.axis(axis.first), text_b = b.axis(axis.first);
    if (text_a == text_b && !text_a.starts_with('?')) return true;
    const AxisCell cell_a(text_a), cell_b(text_b);
    return cell_a.meets(cell_b) && denies(cell_a, cell_b) && denies(cell_b, cell_a);
  });
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  std::set<const Published*> reported;
  const std::vector<Published>& values = publication.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    Evidence evidence{&values[i]};
    if (values[i].kind != 'R' || reported.contains(&values[i])) continue;
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      if (values[j].kind == 'R' && is_comparable(values[i], values[j]) &&
          are_about_one_point(values[i], values[j]) && differ(values[i], values[j])) {
        evidence.push_back(&values[j]);
      }
    }
    if (evidence.size() < 2) continue;
    reported.insert(evidence.begin(), evidence.end());
    found.push_back(
        finding_of(evidence, "These statements are about the same point and cannot all be true."));
  }
  return found;
}

}  // namespace

extern const ContradictionRule conflicting_statements_entry;
const ContradictionRule conflicting_statements_entry{
    "conflicting_statements", "two statements about the same point differ", &find};

}  // namespace dlscale::analysis
