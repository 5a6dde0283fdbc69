// SPDX-License-Identifier: Apache-2.0
#include "forecast/requested_runs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "contract/run_spec/run_id.hpp"
#include "forecast/saved_predictions.hpp"
#include "forecast/study_prediction.hpp"
#include "planner/planner.hpp"
#include "planner/site/resources.hpp"
#include "workspace/resources.hpp"

namespace dlscale::forecast {
namespace fs = std::filesystem;
namespace {

/// Predictions of points by the ids of the points.
struct PredictedPoints {
  std::map<std::string, contract::RunPrediction> by_point;
  std::string why_none;  ///< reason why points have no prediction
};

PredictedPoints predict_points(const planner::Planning& planning) {
  constexpr int kPlannedOnly = 0;
  const fs::path share = workspace::share_folder();
  const NamedCalibration calibration = calibration_of(planning.study);
  PredictedPoints points;
  try {
    const StudyPrediction study = predict_study(planning, {share / "cards", share / "devices"}, {},
                                                calibration.measured, kPlannedOnly);
    for (const auto& prediction : run_predictions(study, calibration.digest, 0)) {
      points.by_point.emplace(prediction.point_id, prediction);
    }
    points.why_none = fmt::format("{}", fmt::join(study.notes, "; "));
  } catch (const base::UsageError& error) {
    // Nothing can be predicted from data sheets. The text of the error is the reason.
    points.why_none = error.what();
  }
  return points;
}

int charged_cores(const planner::Partition& partition, const contract::ResourceRequest& request) {
  return partition.exclusive ? request.nodes * partition.cores_per_node
                             : request.nodes * request.ranks_per_node * request.cores_per_rank;
}

analysis::RequestedRun requested_run(const planner::Planning& planning, std::size_t i) {
  const contract::PlannedRun& planned = planning.plan.runs[i];
  const std::size_t point = i / static_cast<std::size_t>(planning.study.repeats);
  const planner::Allocation& allocation = planning.allocations.at(point);
  const planner::ResourceSettings& requested =
      planning.study.matrices[planning.expansion.points[point].resources].resources;
  const planner::Partition partition = planner::partition_for(planning.site, requested, allocation);
  analysis::RequestedRun run;
  run.point = planned.point;
  run.gpus = planned.gpus;
  run.nodes = allocation.request.nodes;
  run.charged_gpus = planner::charged_gpus(partition, allocation.request);
  run.cores = charged_cores(partition, allocation.request);
  run.time_s = {planned.predicted_s, planned.predicted_low_s, planned.predicted_high_s};
  run.steps = planned.steps;
  run.epochs = planned.epochs;
  return run;
}

bool has_packed_jobs(const contract::Plan& plan) {
  for (const contract::PlannedJob& job : plan.jobs) {
    if (job.kind == contract::JobKind::packed) return true;
  }
  return false;
}

std::string absolute_path(const std::string& file) {
  return fs::absolute(file).lexically_normal().string();
}

}  // namespace

analysis::RequestedStudy requested_study(const RequestChoice& choice) {
  planner::PlanRequest request{
      .study = choice.study, .site = choice.site, .overrides = choice.overrides};
  if (!choice.calibration.empty()) {
    request.overrides.push_back(
        fmt::format("resources.calibration=\"{}\"", absolute_path(choice.calibration)));
  }
  const planner::Planning planning = planner::make_plan(request, workspace::shipped_resources());
  const contract::Plan& plan = planning.plan;
  if (plan.runs.empty()) {
    throw base::UsageError(
        fmt::format("--for {}: the study has no run on {}", choice.study, plan.site));
  }
  const PredictedPoints predicted = predict_points(planning);
  analysis::RequestedStudy study{.study = plan.study, .site = plan.site, .scaling = plan.scaling};
  study.worker = planning.site.device == "cpu" ? "rank" : "GPU";
  for (const contract::Axis& axis : plan.axes) study.axes.push_back(axis.name);
  std::set<std::string> basis;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    analysis::RequestedRun run = requested_run(planning, i);
    const auto found = predicted.by_point.find(contract::point_id(plan.runs[i].run_id));
    if (found != predicted.by_point.end()) {
      run.memory_bytes = found->second.memory_bytes;
      if (run.time_s.value <= 0) run.time_s = found->second.run_s;
      basis.insert(found->second.basis);
    } else if (run.time_s.value > 0) {
      basis.insert("throughputs of the calibration");
    }
    study.runs.push_back(std::move(run));
  }
  study.basis = fmt::format("{}", fmt::join(basis, "; "));
  study.why_unpredicted = predicted.why_none;
  study.has_packed_jobs = has_packed_jobs(plan);
  study.notes = planning.run_time_notes;
  study.skipped_points = plan.skipped.size();
  return study;
}

}  // namespace dlscale::forecast
