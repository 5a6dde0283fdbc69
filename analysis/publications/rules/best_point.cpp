// SPDX-License-Identifier: Apache-2.0
// Rules: a point that the text calls the best has the best value by every published statistic, and
// its lead exceeds the noise.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {

// Rule: the count that the text calls the best has the highest value by every published statistic.

namespace {

const SeriesPoint& best_of(const PublishedSeries& series) {
  return *std::max_element(series.points.begin(), series.points.end(),
                           [](const SeriesPoint& a, const SeriesPoint& b) {
                             return a.value->number->value < b.value->number->value;
                           });
}

std::vector<Finding> find_best_reversed(const Publication& publication) {
  std::vector<Finding> found;
  for (const Published& claim : publication.values) {
    const auto stated = AxisCell(claim.to).number();
    if (claim.relation != "best" || !stated) continue;
    for (const PublishedSeries& series : series_along(publication, claim.along)) {
      const Published* own = at(series, *stated);
      if (!concerns(claim, series) || own == nullptr) continue;
      const SeriesPoint& best = best_of(series);
      if (best.at == *stated || best.value->number->low <= own->number->high) continue;
      found.push_back(finding_of(
          {&claim, own, best.value},
          fmt::format("According to the {}, the best count is {:g}, not {:g}.",
                      series.statistic.empty() ? "values" : series.statistic, best.at, *stated)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule best_reversed_entry;
const ContradictionRule best_reversed_entry{
    "best_reversed", "the best count depends on how runs are summarised", &find_best_reversed};

// Rule: a difference within the noise does not make a point the best.

namespace {

constexpr double kSignificant = 0.05;

std::vector<Finding> find_best_unproven(const Publication& publication) {
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
      found.push_back(
          finding_of({&claim, &test},
                     fmt::format("p = {}: the runs show no significant difference between {}.",
                                 test.text, counts)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule best_unproven_entry;
const ContradictionRule best_unproven_entry{
    "best_unproven", "the best count is not significantly better", &find_best_unproven};

}  // namespace dlscale::analysis
