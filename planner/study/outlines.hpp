// SPDX-License-Identifier: Apache-2.0
// Lists the properties of runs that are known before the runs are derived: names, points, batches.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/study/expand.hpp"

namespace dlscale::planner {

/// Returns the names of the sub-studies that request a point.
std::vector<std::string> substudies_of(const Study& study, const Point& point);

/// Appends a copy of `run` to `runs` for each repetition of the point. The copies differ in
/// repetition and run id.
void repeat(const Study& study, const Point& point, contract::PlannedRun run,
            std::vector<contract::PlannedRun>& runs);

/// Returns the runs of all points, study.repeats runs for each point. The runs have only the
/// properties that conditions may use.
std::vector<contract::PlannedRun> outlines(const Study& study, const std::vector<Point>& points);

/// Adds the axes of the matrix to `axes`. For axes that `axes` already contains, adds new values.
void add_axes(const Matrix& matrix, std::vector<contract::Axis>& axes);

}  // namespace dlscale::planner
