// SPDX-License-Identifier: Apache-2.0
// Rule: gains, ratios and speed-ups that the text states follow from the values in the tables.
#include <fmt/format.h>

#include <string>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"
#include "analysis/publications/scaling_claim.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the ratio that a claim states: 1.4 for "+40 %", 0.5 for "half".
Printed claimed(const Published& claim) {
  const Printed number = *claim.number;
  if (claim.relation == "times") return number;
  return {1 + number.value, 1 + number.low, 1 + number.high};
}

std::string in_words(const Published& claim, double factor) {
  return claim.relation == "gain" ? fmt::format("{:+.1f} %", 100 * (factor - 1))
                                  : fmt::format("{:.2f} times", factor);
}

std::vector<Finding> of_speedups(const Publication& publication) {
  std::vector<Finding> found;
  for (const ClaimMismatch& one : claims_beside_measurements(publication, "speedup")) {
    found.push_back(
        finding_of({one.claim, one.base, one.point},
                   fmt::format("From {:g} to {:g}, the {} gives a speed-up of {:.3g}.{}", one.from,
                               one.at, one.point->quantity, one.implied, assumption_of(one))));
  }
  return found;
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found = of_speedups(publication);
  for (const Published& claim : publication.values) {
    if ((claim.relation != "gain" && claim.relation != "times") || !claim.number) continue;
    const auto from = AxisCell(claim.from).number(), to = AxisCell(claim.to).number();
    if (!from || !to) continue;
    const Definition* own = publication.definition(claim.quantity);
    for (const PublishedSeries& series : series_along(publication, claim.along)) {
      const bool other_way = own != nullptr && claim.statistic.empty() && !own->statistic.empty() &&
                             series.statistic != own->statistic;
      const Published *a = at(series, *from), *b = at(series, *to);
      if (other_way || !concerns(claim, series) || a == nullptr || b == nullptr) continue;
      const Printed factor = ratio(allowed(*b), allowed(*a));
      if (overlap(claimed(claim), factor)) continue;
      found.push_back(finding_of(
          {&claim, a, b}, fmt::format("The values give {}, not {}.", in_words(claim, factor.value),
                                      in_words(claim, claimed(claim).value))));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule claimed_ratio_entry;
const ContradictionRule claimed_ratio_entry{
    "claimed_ratio", "a stated gain, ratio or speed-up differs from the ratio of the stated values",
    &find};

}  // namespace dlscale::analysis
