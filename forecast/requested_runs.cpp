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
#include "base/file.hpp"
#include "contract/run_spec/run_id.hpp"
#include "forecast/measured_throughputs.hpp"
#include "forecast/saved_predictions.hpp"
#include "forecast/study_prediction.hpp"
#include "planner/planner.hpp"
#include "planner/site/resources.hpp"
#include "planner/study/derive.hpp"
#include "workspace/resources.hpp"
#include "workspace/study_from_records.hpp"

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

std::string calibration_override(const std::string& file) {
  return fmt::format("resources.calibration=\"{}\"", absolute_path(file));
}

bool is_external(const planner::Study& study) {
  return !study.trainer.command.empty();
}

bool has_calibration(const planner::Study& study) {
  for (const planner::Matrix& matrix : study.matrices) {
    if (!matrix.resources.calibration.empty()) return true;
  }
  return false;
}

/// Plans the study again with the measured throughputs of `results` as its calibration, which the
/// function writes to `folder`. The file is read again when the result computes the time of a run.
/// Returns nothing if `results` have no throughput that applies to the study.
std::optional<planner::Planning> plan_with_measured(planner::PlanRequest request,
                                                    const analysis::Frame& results,
                                                    const contract::Plan& plan,
                                                    const fs::path& folder) {
  const std::string rows = throughput_rows(results, plan.axes);
  if (rows.empty()) return std::nullopt;
  const fs::path file = folder / "throughputs.toml";
  base::write_file_atomically(file, rows);
  request.overrides.push_back(calibration_override(file.string()));
  return planner::make_plan(request, workspace::shipped_resources());
}

/// Returns the reason why runs of a training script of the user have no predicted time.
std::string why_untimed(const planner::Planning& planning, bool has_rates) {
  if (!has_rates) {
    return "the results contain no throughput for the batch and the axis values of these runs (an "
           "axis with a dot in its name, such as parameters.width, must have one value)";
  }
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const contract::RunSpec run = planning.run(i);
    if (run.steps == 0 && run.epochs == 0) {
      return "the study does not set the length of its runs (key training.epochs or "
             "training.steps)";
    }
    if (run.steps == 0 && planner::train_samples(run).value_or(0) == 0) {
      return "the length of the runs is given in epochs, and the number of samples in an epoch is "
             "unknown (key training.dataset.train_samples)";
    }
  }
  return "no measured throughput has the batch and the axis values of these runs";
}

}  // namespace

analysis::RequestedStudy requested_study(const RequestChoice& choice,
                                         const analysis::Frame& results) {
  planner::PlanRequest request{
      .study = choice.study, .site = choice.site, .overrides = choice.overrides};
  if (!choice.calibration.empty()) {
    request.overrides.push_back(calibration_override(choice.calibration));
  }
  planner::Planning planning = planner::make_plan(request, workspace::shipped_resources());
  const bool names_calibration = has_calibration(planning.study);
  bool is_measured = false;  // true if the times come from the throughputs of `results`
  const workspace::ScratchFolder scratch;
  if (is_external(planning.study) && !names_calibration) {
    if (auto measured = plan_with_measured(request, results, planning.plan, scratch.path())) {
      planning = std::move(*measured);
      is_measured = true;
    }
  }
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
      basis.insert(is_measured ? "measured throughputs of the results"
                               : "throughputs of the calibration");
    }
    study.runs.push_back(std::move(run));
  }
  study.basis = fmt::format("{}", fmt::join(basis, "; "));
  study.is_external = is_external(planning.study);
  study.why_unpredicted = study.is_external
                              ? why_untimed(planning, names_calibration || is_measured)
                              : predicted.why_none;
  study.has_packed_jobs = has_packed_jobs(plan);
  study.notes = planning.run_time_notes;
  study.skipped_points = plan.skipped.size();
  return study;
}

}  // namespace dlscale::forecast
