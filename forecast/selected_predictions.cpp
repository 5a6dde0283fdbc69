// SPDX-License-Identifier: Apache-2.0
#include "forecast/selected_predictions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/error.hpp"
#include "contract/run_spec/run_id.hpp"
#include "workspace/resources.hpp"

namespace dlscale::forecast {
namespace {

/// Returns the axis values of a run that are the same for all points of its curve.
std::map<std::string, std::string> curve_of(const contract::PlannedRun& run) {
  std::map<std::string, std::string> axes = run.point;
  std::erase_if(axes, [](const auto& axis) { return varies_on_curve(axis.first); });
  return axes;
}

/// Removes the points of a curve that are not selected, and the predictions for their GPU counts.
void keep_selected_points(PredictedCurve& curve, const std::set<std::string>& points) {
  std::erase_if(curve.points, [&](const auto& point) { return !points.contains(point.second); });
  std::set<int> counts;
  for (const auto& [gpus, id] : curve.points) counts.insert(gpus);
  if (counts.size() == curve.planned.size()) return;
  curve.planned.assign(counts.begin(), counts.end());
  std::erase_if(curve.over_gpus, [&](const predict::CurvePoint& point) {
    return !counts.contains(point.ranks.gpus);
  });
}

}  // namespace

PredictedSelection select_predictions(const contract::Plan& plan,
                                      const workspace::SelectionChoice& choice) {
  PredictedSelection selection;
  const workspace::RunIds selected = workspace::select_runs(plan, choice);
  std::set<std::map<std::string, std::string>> curves;
  for (const contract::PlannedRun& run : plan.runs) {
    if (!selected.contains(run.run_id)) continue;
    selection.points.insert(contract::point_id(run.run_id));
    curves.insert(curve_of(run));
  }
  for (const contract::PlannedRun& run : plan.runs) {
    if (curves.contains(curve_of(run))) selection.runs.insert(run.run_id);
  }
  return selection;
}

planner::Planning plan_selected(const planner::PlanRequest& request,
                                const workspace::SelectionChoice& choice,
                                PredictedSelection& selection) {
  planner::Resources resources = workspace::shipped_resources();
  // Without cards the planner cannot omit points that do not fit into GPU memory, so these points
  // are shown.
  resources.cards.reset();
  planner::Planner planner(request, resources);
  planner.expand();
  if (choice.narrows()) {
    selection = select_predictions(planner.outline(), choice);
    planner.keep(selection.runs);
  }
  return planner.finish();
}

void keep_selected(StudyPrediction& study, const std::set<std::string>& points) {
  for (PredictedCurve& curve : study.curves) keep_selected_points(curve, points);
  std::erase_if(study.curves, [](const PredictedCurve& curve) { return curve.points.empty(); });
  if (!study.curves.empty()) return;
  throw base::UsageError(fmt::format("none of the selected runs of {} can be predicted: {}",
                                     study.study, fmt::join(study.notes, "; ")));
}

}  // namespace dlscale::forecast
