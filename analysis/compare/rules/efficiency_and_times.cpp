// SPDX-License-Identifier: Apache-2.0
// Efficiencies follow from times; those of rounded times do not.
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "analysis/compare/axis_cell.hpp"
#include "analysis/compare/contradiction.hpp"
#include "analysis/compare/published_series.hpp"

namespace dlscale::analysis {
namespace {

struct Rounding {
  int decimals = 0;  ///< of times per node; 0: none explains it
  double efficiency = 0;
};

/// To how many decimals a table of times per node was rounded, if that gives what is stated.
Rounding rounding_that_explains(const Publication& publication, const SeriesPoint& first,
                                const SeriesPoint& last, const Printed& stated) {
  if (publication.baseline_nodes <= 0 || publication.baseline_gpus <= 0) return {};
  const double per_node = publication.baseline_gpus / publication.baseline_nodes;
  const double nodes = last.at / per_node, nodes0 = first.at / per_node;
  for (int decimals = 4; decimals >= 1; --decimals) {
    const double scale = std::pow(10, decimals);
    const double cut = std::round(last.value->number->value / nodes * scale) / scale;
    const double cut0 = std::round(first.value->number->value / nodes0 * scale) / scale;
    if (cut <= 0) continue;
    const double efficiency = cut0 * nodes0 / (cut * nodes);
    if (stated.low <= efficiency && efficiency <= stated.high) return {decimals, efficiency};
  }
  return {};
}

std::vector<Finding> judge(const Publication& publication, const Published& stated,
                           const PublishedSeries& series) {
  const SeriesPoint& first = series.points.front();
  const auto gpus = AxisCell(stated.axis("gpus")).number();
  const Published* time = gpus ? at(series, *gpus) : nullptr;
  if (time == nullptr || *gpus == first.at) return {};
  const Printed constant = speedup_of(*first.value, *time);
  const double ideal = *gpus / first.at;
  const Printed shrinking{constant.value / ideal, constant.low / ideal, constant.high / ideal};
  const Printed said = allowed(stated);
  if (overlap(said, constant) || overlap(said, shrinking)) return {};
  const Rounding rounding = rounding_that_explains(publication, first, {*gpus, time}, said);
  const bool nearer =
      std::abs(constant.value - said.value) < std::abs(shrinking.value - said.value);
  std::string meaning = fmt::format("From the times themselves the efficiency is {:.4f}.",
                                    nearer ? constant.value : shrinking.value);
  if (rounding.decimals > 0) {
    meaning += fmt::format(
        " Times per node rounded to {} decimals give {:.4f}: the stated one was computed from a "
        "rounded table.",
        rounding.decimals, rounding.efficiency);
  }
  return {finding_of({&stated, first.value, time}, meaning)};
}

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const PublishedSeries& series : series_along(publication, "gpus")) {
    if (!is_whole_time(*series.points.front().value)) continue;
    for (const Published& stated : publication.values) {
      if (stated.quantity != "efficiency" || stated.relation != "=" || !stated.number ||
          series.points.front().value->relation != "=" ||
          !may_be_one_point(stated.axes, series.axes, "gpus")) {
        continue;
      }
      for (Finding& finding : judge(publication, stated, series)) found.push_back(finding);
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule efficiency_and_times_entry;
const ContradictionRule efficiency_and_times_entry{
    "efficiency_and_times", "a stated efficiency is not that of the stated times", &find};

}  // namespace dlscale::analysis
