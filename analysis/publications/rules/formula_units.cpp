// SPDX-License-Identifier: Apache-2.0
// Rule: the units of the names in a formula give the unit of its result.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "analysis/publications/contradiction.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {
namespace {

/// Factors by which seconds, bytes and operations are scaled to test a formula. The factors are
/// primes, so that none is a product of the others.
constexpr std::array<double, 3> kOtherUnits{2, 3, 5};

double in_other_units(const Unit& unit) {
  double factor = 1;
  for (std::size_t i = 0; i < kOtherUnits.size(); ++i) {
    factor *= std::pow(kOtherUnits[i], unit.dimension[i]);
  }
  return factor;
}

std::string unit_list(const Definition& definition) {
  std::string text;
  for (const auto& [name, unit] : definition.units) {
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", name, unit);
  }
  return text;
}

/// Returns true if scaled inputs scale the result of the formula as its unit requires, or if a unit
/// is unknown. Elements have no dimension, so bytes per element scale like bytes, and operations
/// per element scale like operations.
bool is_consistent(const Definition& definition, const Unit& result) {
  std::map<std::string, double> values, others;
  double start = 7;
  for (const auto& [name, unit] : definition.units) {
    const auto known = parse_unit(unit);
    if (!known) return true;
    values[name] = start;
    others[name] = start * in_other_units(*known);
    start += 4;
  }
  const double before = config::compute(definition.formula, values, definition.place);
  const double after = config::compute(definition.formula, others, definition.place);
  return std::abs(after / before / in_other_units(result) - 1) < 1e-9;
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const auto& [quantity, definition] : publication.definitions) {
    const auto result = parse_unit(definition.unit);
    if (definition.units.empty() || definition.formula.empty() || !result) continue;
    if (is_consistent(definition, *result)) continue;
    found.push_back(finding_at(
        definition.place,
        fmt::format("{} [{}] = {} with {}", quantity, definition.unit, definition.formula,
                    unit_list(definition)),
        fmt::format("With these units the result is not in {}. If the formula multiplies by a "
                    "quantity that is called a rate, this quantity must be the inverse of a rate.",
                    definition.unit)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule formula_units_entry;
const ContradictionRule formula_units_entry{
    "formula_units", "the units of a formula do not give the unit of its result", &find};

}  // namespace dlscale::analysis
