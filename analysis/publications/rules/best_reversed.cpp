// SPDX-License-Identifier: Apache-2.0
// The best count is the best by every sound summary.
#include <fmt/format.h>

#include <algorithm>

#include "analysis/publications/axis_cell.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

const SeriesPoint& best_of(const PublishedSeries& series) {
  return *std::max_element(series.points.begin(), series.points.end(),
                           [](const SeriesPoint& a, const SeriesPoint& b) {
                             return a.value->number->value < b.value->number->value;
                           });
}

std::vector<Finding> find(const Publication& publication) {
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
          fmt::format("By the {} the best is {:g}, not {:g}.",
                      series.statistic.empty() ? "values" : series.statistic, best.at, *stated)));
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule best_reversed_entry;
const ContradictionRule best_reversed_entry{
    "best_reversed", "the best count depends on how runs are summarised", &find};

}  // namespace dlscale::analysis
