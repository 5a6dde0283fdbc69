// SPDX-License-Identifier: Apache-2.0
// Rule: a quantity that has reached its limit is not the cause of further growth.
#include <fmt/format.h>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "config/expression/expression.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kFar = 1e9;
constexpr double kGrowsStill = 0.05;

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& claim : publication.values) {
    const auto from = AxisCell(claim.from).number();
    if (claim.cause.empty() || claim.relation != "rises" || !from) continue;
    const auto term = [&](double x) {
      return config::compute(claim.cause, {{claim.along, x}}, claim.place);
    };
    const double now = term(*from), limit = term(*from * kFar);
    if (limit > now * (1 + kGrowsStill)) continue;
    found.push_back(finding_of(
        {&claim}, fmt::format("{} is {:.3g} at {} = {:g} and never exceeds {:.3g}: it cannot "
                              "explain why {} still rises.",
                              claim.cause, now, claim.along, *from, limit, claim.quantity)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule saturated_cause_entry;
const ContradictionRule saturated_cause_entry{
    "saturated_cause", "growth is attributed to a term that does not grow", &find};

}  // namespace dlscale::analysis
