// SPDX-License-Identifier: Apache-2.0
// Expands a study to the list of its points: products, includes, exclusions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/study/point_values.hpp"
#include "planner/study/run_names.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Point of a study, with the run that is derived from it.
struct Point {
  std::uint32_t matrix = 0;              ///< index in Study::matrices
  std::vector<std::uint32_t> values;     ///< index of the value of each axis
  std::vector<std::uint32_t> overrides;  ///< indices of the overrides that apply
  std::string id;                        ///< common beginning of the ids of the point's runs
  std::vector<std::uint32_t> also;       ///< indices of other matrices that request the same run
  std::uint32_t resources = 0;           ///< index of the matrix whose [resources] apply
  contract::RunSpec run;  ///< run without id, repetition and resources; empty for excluded points
};

/// Number of points for which the condition was evaluated, and number of points for which it is
/// true.
struct Asked {
  std::size_t all = 0, wanted = 0;
};

struct Expansion {
  std::vector<Point> points;
  std::vector<contract::SkippedPoint> skipped;
  std::vector<std::string> notes;  ///< notes about differences from the request, each note once
  std::optional<Asked> asked;      ///< counts; absent if there is no condition
};

/// Condition that returns true for a wanted point. The condition receives the axes, GPUs and
/// batches of the point, before the run of the point is derived.
using Wanted = std::function<bool(const contract::PlannedRun&)>;

/// Returns the points of all matrices. For each matrix, these are the combinations of its axes,
/// then the points of each [[include]]. The first axis varies slowest, the last axis fastest.
/// - Conditions of overrides use the values of [matrix] and [training]. Conditions of exclusions
///   use the values after the overrides.
/// - Exclusions apply to all points, including those of an [[include]]. The first matching
///   exclusion gives the reason.
/// - A run that several sub-studies request becomes a single point.
/// - Points that are not wanted are left out without a message, and errors in them are not
///   detected.
///
/// Throws base::SpecError in these cases:
/// - A point cannot run, unless the study skips such points. The message names the point.
/// - Two points of a matrix are the same run. The message names both points.
/// - Sub-studies request different resources for a shared point. Settings for the time limit may
///   differ.
/// - The study has more than 100,000 runs. The count includes excluded points.
Expansion expand(const Study& study, const Wanted& wanted = {}, const RunNames& names = {});

/// Returns the properties of a point's runs that are known before the runs are derived: axes, GPUs,
/// batches.
contract::PlannedRun outline(const Matrix& matrix, const Point& point, const PointValues& seen);

/// Returns the GPU count of the point with its place in the study.
config::Item gpus_of(const Study& study, const Point& point);

}  // namespace dlscale::planner
