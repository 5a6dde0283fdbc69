// SPDX-License-Identifier: Apache-2.0
// A speed-up and an efficiency of one point say the same thing twice.
#include <fmt/format.h>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"
#include "analysis/publications/scaling_claim.hpp"

namespace dlscale::analysis {
namespace {

/// What nobody says better than to the spread of the runs.
bool agree(const Printed& a, Printed b, double variation) {
  b.low *= 1 - variation;
  b.high *= 1 + variation;
  return overlap(a, b);
}

std::vector<Finding> judge(const Publication& publication, const Published& speedup) {
  const auto from = AxisCell(speedup.from).number();
  auto to = AxisCell(speedup.to).number();
  if (!to) to = AxisCell(speedup.axis("gpus")).number();
  if (!from || !to) return {};
  Printed implied = allowed(speedup);
  const double scale = *from / *to;
  implied = {implied.value * scale, implied.low * scale, implied.high * scale};
  Evidence evidence{&speedup};
  for (const Published& value : publication.values) {
    const bool exact = value.relation == "=" || value.relation == "~";
    if (value.quantity != "efficiency" || !value.is_value() || !exact ||
        AxisCell(value.axis("gpus")).number() != to ||
        !may_be_one_point(speedup.axes, value.axes)) {
      continue;
    }
    if (agree(implied, allowed(value), publication.variation)) return {};
    evidence.push_back(&value);
  }
  if (evidence.size() < 2) return {};
  return {finding_of(
      evidence, fmt::format("A speed-up of {} on {:g} times the GPUs is an efficiency of {:.3f}, "
                            "which is none of those stated for that point.",
                            speedup.text, *to / *from, implied.value))};
}

/// Of columns that stand side by side.
std::vector<Finding> of_curves(const Publication& publication) {
  std::vector<Finding> found;
  for (const PairMismatch& one : speedups_beside_efficiencies(publication)) {
    found.push_back(finding_of(
        {one.speedup, one.efficiency},
        fmt::format("A speed-up of {} on {:g} times the GPUs is an efficiency of {:.3f}.",
                    one.speedup->text, one.ratio, one.speedup->number->value / one.ratio)));
  }
  return found;
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found = of_curves(publication);
  for (const Published& value : publication.values) {
    const bool along_gpus = value.along == "gpus" || value.along.empty();
    if (value.quantity != "speedup" || !along_gpus || !value.is_value()) continue;
    for (Finding& finding : judge(publication, value)) found.push_back(std::move(finding));
  }
  return found;
}

}  // namespace

extern const ContradictionRule speedup_and_efficiency_entry;
const ContradictionRule speedup_and_efficiency_entry{
    "speedup_and_efficiency", "a speed-up over its GPU ratio is not the stated efficiency", &find};

}  // namespace dlscale::analysis
