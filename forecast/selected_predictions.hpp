// SPDX-License-Identifier: Apache-2.0
// Predicts selected runs. Efficiency is relative to the first point of a curve. Therefore whole
// curves are predicted, and then all points that are not selected are removed.
#pragma once

#include <set>
#include <string>

#include "contract/plan/plan.hpp"
#include "forecast/study_prediction.hpp"
#include "planner/planner.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::forecast {

struct PredictedSelection {
  std::set<std::string> points;  ///< ids of the selected points
  workspace::RunIds runs;        ///< all runs of the curves that contain selected points
};

/// Selects the points of the selected runs. One selected repetition selects its point. Prints and
/// throws what select_runs prints and throws.
PredictedSelection select_predictions(const contract::Plan& plan,
                                      const workspace::SelectionChoice& choice);

/// Plans the curves of the selected runs, including points that do not fit into GPU memory. Stores
/// the selection in `selection` if the user selected only some of the runs. Throws what Planner and
/// select_predictions throw.
planner::Planning plan_selected(const planner::PlanRequest& request,
                                const workspace::SelectionChoice& choice,
                                PredictedSelection& selection);

/// Removes curves without a selected point. From the other curves, removes the GPU counts that are
/// not selected. A curve of which all points are selected stays unchanged. Throws base::UsageError
/// if nothing is left.
void keep_selected(StudyPrediction& study, const std::set<std::string>& points);

}  // namespace dlscale::forecast
