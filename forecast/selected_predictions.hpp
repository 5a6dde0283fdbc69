// SPDX-License-Identifier: Apache-2.0
// Predictions for selected runs. Efficiency is relative to the first point of a curve, so that
// whole curves are predicted and the selected points are kept afterwards.
#pragma once

#include <set>
#include <string>

#include "contract/plan/plan.hpp"
#include "forecast/predicted_study.hpp"
#include "planner/planner.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

struct PredictedSelection {
  std::set<std::string> points;  ///< ids of the points of the selected runs
  workspace::RunIds runs;        ///< all runs on the curves of these points
};

/// Reports and throws as select_runs does. A prediction is of a point, so that one repetition
/// selects its point.
PredictedSelection select_predictions(const contract::Plan& plan,
                                      const workspace::SelectionChoice& choice);

/// Plans the curves of the chosen runs, points that fit no GPU's memory among them. Names the
/// choice in `selection` where it narrows. Throws what Planner and select_predictions throw.
planner::Planning plan_selected(const planner::PlanRequest& request,
                                const workspace::SelectionChoice& choice,
                                PredictedSelection& selection);

/// Removes what is not selected: curves without a selected point and, from curves with some, the
/// other GPU counts. Curves of which all planned counts are selected stay as they are. Throws
/// base::UsageError where nothing is left.
void keep_selected(PredictedStudy& study, const std::set<std::string>& points);

}  // namespace dlscale::forecast
