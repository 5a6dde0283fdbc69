// SPDX-License-Identifier: Apache-2.0
// Rule: twice the GPUs are at most twice as fast.
#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>

#include "analysis/publications/axes.hpp"
#include "analysis/publications/contradiction.hpp"
#include "analysis/publications/published_series.hpp"
#include "analysis/publications/scaling_claim.hpp"

namespace dlscale::analysis {
namespace {

constexpr double kMoreThanIdeal = 1 + 1e-9;

using RowKey = std::pair<std::string, int>;

RowKey row_of(const Published& value) {
  return {value.place.file, value.place.line};
}

/// Findings, and the rows that already have a finding.
struct CurvesAboveIdeal {
  std::vector<Finding> findings;
  std::set<RowKey> rows;

  void add(const Published& value, const Evidence& evidence, std::string meaning) {
    if (rows.insert(row_of(value)).second) {
      findings.push_back(finding_of(evidence, std::move(meaning)));
    }
  }
};

void add_measured(const Publication& publication, const std::string& axis,
                  CurvesAboveIdeal& found) {
  for (const PublishedSeries& series : series_along(publication, axis)) {
    const SeriesPoint& first = series.points.front();
    const bool divided = is_whole_time(*first.value) && publication.work != "per_gpu";
    const bool per_gpu = is_gpu_rate(*first.value);
    if ((!divided && !is_rate(*first.value) && !per_gpu) || first.at <= 0) continue;
    for (const SeriesPoint& point : series.points) {
      const Printed speedup = speedup_of(*first.value, *point.value);
      const double ideal = point.at / first.at;
      if (speedup.low <= (per_gpu ? 1 : ideal) * kMoreThanIdeal) continue;
      found.rows.insert(row_of(*point.value));
      found.findings.push_back(
          finding_of({first.value, point.value},
                     fmt::format("A speed-up of {:.2f} on {:.4g} times the {} is more than ideal. "
                                 "The two points differ in another setting as well, or the first "
                                 "point was measured before its warm-up ended.",
                                 speedup.value * (per_gpu ? ideal : 1), ideal, axis)));
    }
  }
}

void add_speedups(const Publication& publication, const std::string& axis,
                  CurvesAboveIdeal& found) {
  for (const PublishedSeries& speedups : stated_along(publication, "speedup", axis)) {
    const SpeedupBase base = base_of(publication, speedups, axis);
    for (const SeriesPoint& point : speedups.points) {
      const auto from = AxisCell(point.value->from).number();
      const bool is_shifted = base.first != nullptr && !from;
      const double ideal = point.at / from.value_or(base.gpus);
      Printed speedup = allowed(*point.value);
      if (is_shifted) speedup = ratio(speedup, allowed(*base.first));
      if (ideal <= 1 || speedup.low <= ideal * kMoreThanIdeal) continue;
      Evidence evidence{point.value};
      if (is_shifted) evidence.push_back(base.first);
      found.add(*point.value, evidence,
                fmt::format("A speed-up of {:.4g} on {:.4g} times the {} is more than ideal.",
                            speedup.value, ideal, axis));
    }
  }
}

void add_efficiencies(const Publication& publication, const std::string& axis,
                      CurvesAboveIdeal& found) {
  for (const PublishedSeries& series : stated_along(publication, "efficiency", axis)) {
    const SpeedupBase base = base_of(publication, series, axis);
    const double baseline = base.first == nullptr ? base.gpus : 0;
    for (const SeriesPoint& point : series.points) {
      const Printed efficiency = allowed(*point.value);
      if (point.at <= baseline || efficiency.low <= kMoreThanIdeal) continue;
      found.add(*point.value, {point.value},
                fmt::format("An efficiency of {:.4g} is more than ideal.", efficiency.value));
    }
  }
}

std::vector<Finding> find(const Publication& publication) {
  CurvesAboveIdeal found;
  for (const std::string_view name : kScalingAxes) {
    const std::string axis(name);
    add_measured(publication, axis, found);
    add_speedups(publication, axis, found);
    add_efficiencies(publication, axis, found);
  }
  return found.findings;
}

}  // namespace

extern const ContradictionRule above_ideal_entry;
const ContradictionRule above_ideal_entry{"above_ideal",
                                          "a speed-up is larger than the ratio of GPUs", &find};

}  // namespace dlscale::analysis
