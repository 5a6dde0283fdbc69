// SPDX-License-Identifier: Apache-2.0
// What is known of the runs of a study before they are described: names, points, batches.
#pragma once

#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/study/expand.hpp"

namespace dlscale::planner {

/// The names of the sub-studies that ask for a point.
std::vector<std::string> substudies_of(const Study& study, const Point& point);

/// Adds a point's run for each of its repetitions.
void repeat(const Study& study, const Point& point, contract::PlannedRun run,
            std::vector<contract::PlannedRun>& runs);

/// What conditions on runs may ask, of all points: study.repeats runs for each.
std::vector<contract::PlannedRun> outlines(const Study& study, const std::vector<Point>& points);

/// Adds the axes that are not there yet, and the values that are new.
void add_axes(const Matrix& matrix, std::vector<contract::Axis>& axes);

}  // namespace dlscale::planner
