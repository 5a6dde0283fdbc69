// SPDX-License-Identifier: Apache-2.0
// A difference within the noise makes nothing best.
#include <fmt/format.h>

#include <string>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kSignificant = 0.05;

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& claim : publication.values) {
    if (claim.relation != "best") continue;
    for (const Published& test : publication.values) {
      const std::string counts = test.axis(claim.along);
      if (test.quantity != "p_value" || !test.is_value() || counts.find('|') == std::string::npos ||
          !AxisCell(counts).contains(AxisCell(claim.to)) ||
          !may_be_one_point(claim.axes, test.axes, claim.along) ||
          allowed(test).low <= kSignificant) {
        continue;
      }
      found.push_back(finding_of(
          {&claim, &test},
          fmt::format("p = {}: the runs do not tell {} from each other.", test.text, counts)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule best_unproven_entry;
const ContradictionRule best_unproven_entry{
    "best_unproven", "the best count is no better than chance allows", &find};

}  // namespace dlscale::analysis
