// SPDX-License-Identifier: Apache-2.0
// Rule: in a study of strong scaling the times fall, because the GPUs share a fixed work. Times
// that stay the same indicate weak scaling.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/publications/column_heading.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kFewestTimes = 8;  ///< minimum ratio of the last GPU count to the first
constexpr double kConstant = 0.8;   ///< minimum ratio of the last time to the first

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  if (publication.work != "fixed") return found;
  for (const PublishedSeries& series : series_along(publication, "gpus")) {
    const SeriesPoint &first = series.points.front(), &last = series.points.back();
    if (!is_whole_time(*first.value) || last.at / first.at < kFewestTimes) continue;
    // The time of a step depends on the batch and not on the work of an epoch.
    if (is_step_time_name(series.quantity)) continue;
    const Printed faster = speedup_of(*first.value, *last.value);
    if (faster.value > 1 / kConstant) continue;
    const bool stated = std::any_of(
        publication.values.begin(), publication.values.end(), [&](const Published& value) {
          return value.quantity == "efficiency" && value.is_value() &&
                 may_be_one_point(value.axes, series.axes, "gpus") &&
                 std::abs(value.number->value - faster.value) < 1 - kConstant;
        });
    if (!stated) continue;
    found.push_back(finding_of(
        {first.value, last.value},
        fmt::format(
            "The study is described as strong scaling, but on {:.4g} times the GPUs the time is "
            "{:.2f} times the first time, and the stated efficiency is the ratio of "
            "these times: the work grew with the GPUs, which is weak scaling.",
            last.at / first.at, 1 / faster.value)));
  }
  return found;
}

}  // namespace

extern const ContradictionRule weak_called_strong_entry;
const ContradictionRule weak_called_strong_entry{
    "weak_called_strong", "times of a strong-scaling study do not fall", &find};

}  // namespace dlscale::analysis
