// SPDX-License-Identifier: Apache-2.0
// Twice the GPUs are not more than twice as fast.
#include <fmt/format.h>

#include "analysis/compare/contradiction.hpp"
#include "analysis/compare/published_series.hpp"

namespace dlscale::analysis {
namespace {

std::vector<Finding> find(const Publication& publication) {
  std::vector<Finding> found;
  for (const char* axis : {"gpus", "cores"}) {
    for (const PublishedSeries& series : series_along(publication, axis)) {
      const SeriesPoint& first = series.points.front();
      const bool divided = is_whole_time(*first.value) && publication.work != "per_gpu";
      if ((!divided && !is_rate(*first.value)) || first.at <= 0) continue;
      for (const SeriesPoint& point : series.points) {
        const Printed speedup = speedup_of(*first.value, *point.value);
        const double ideal = point.at / first.at;
        if (speedup.low <= ideal * (1 + 1e-9)) continue;
        found.push_back(finding_of(
            {first.value, point.value},
            fmt::format("{:.2f} times as fast on {:.4g} times the {}: more than ideal, so the two "
                        "differ in more than their number, or the first was measured cold.",
                        speedup.value, ideal, axis)));
      }
    }
  }
  return found;
}

}  // namespace

extern const ContradictionRule above_ideal_entry;
const ContradictionRule above_ideal_entry{"above_ideal",
                                          "a speed-up is larger than the ratio of GPUs", &find};

}  // namespace dlscale::analysis
