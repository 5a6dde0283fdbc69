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
#include "planner/jobs/run_times.hpp"
#include "planner/planner.hpp"
#include "planner/site/resources.hpp"
#include "planner/study/derive.hpp"
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

/// Sets the times of the runs of a training script from the measured throughputs. Adds the versions
/// of the code that the measured runs used to `code`, and a note on points outside the measured GPU
/// counts to `notes`.
void time_by_measured(planner::Planning& planning, const MeasuredThroughputs& measured,
                      std::set<std::string>& code, std::vector<std::string>& notes) {
  int extrapolated = 0;
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    const contract::RunSpec run = planning.run(i);
    const auto throughput = measured.of(run);
    if (!throughput) continue;
    const predict::Band time_s = planner::run_s_at(*throughput, run, planning.site);
    if (time_s.value <= 0) continue;
    contract::PlannedRun& planned = planning.plan.runs[i];
    planned.predicted_s = time_s.value;
    planned.predicted_low_s = time_s.low;
    planned.predicted_high_s = time_s.high;
    code.merge(measured.code_of(run));
    if (throughput->extrapolated && planned.repetition == 1) ++extrapolated;
  }
  if (extrapolated > 0) notes.push_back(planner::extrapolation_note(extrapolated));
}

/// Returns the basis of times from measured throughputs. `code` contains the versions of the code
/// of the measured runs.
std::string measured_basis(const std::set<std::string>& code) {
  const std::string basis = "measured throughputs of the results";
  return code.empty() ? basis : fmt::format("{} with the code {}", basis, fmt::join(code, ", "));
}

/// Returns the reason why runs of a training script of the user have no predicted time. `measured`
/// is null if the times come from a calibration.
analysis::UntimedReason why_untimed(const planner::Planning& planning,
                                    const MeasuredThroughputs* measured) {
  using Cause = analysis::UntimedReason::Cause;
  for (std::size_t i = 0; i < planning.plan.runs.size(); ++i) {
    if (planning.plan.runs[i].predicted_s > 0) continue;
    const contract::RunSpec run = planning.run(i);
    if (measured != nullptr && !measured->of(run)) {
      return {Cause::other,
              "no comparable measured runs did the same work: the command, the configuration "
              "files, the batch and all settings that change the speed must be the same"};
    }
    if (run.steps == 0 && run.epochs == 0) {
      return {Cause::no_length,
              "the study does not set the length of its runs (key training.epochs or "
              "training.steps)"};
    }
    if (run.steps == 0 && planner::train_samples(run).value_or(0) == 0) {
      return {Cause::no_samples,
              "the length of the runs is given in epochs, and the number of samples in an epoch "
              "is unknown (key training.dataset.train_samples)"};
    }
  }
  return {Cause::other,
          "the calibration has no row for the batch and the axis values of these "
          "runs"};
}

}  // namespace

analysis::RequestedStudy requested_study(const RequestChoice& choice,
                                         const analysis::Frame& results,
                                         const MeasuredThroughputs::Describe& describe) {
  planner::PlanRequest request{
      .study = choice.study, .site = choice.site, .overrides = choice.overrides};
  if (!choice.calibration.empty()) {
    request.overrides.push_back(calibration_override(choice.calibration));
  }
  planner::Planning planning = planner::make_plan(request, workspace::shipped_resources());
  const bool names_calibration = has_calibration(planning.study);
  std::optional<MeasuredThroughputs> measured;
  std::set<std::string> code;
  std::vector<std::string> notes = planning.run_time_notes;
  if (is_external(planning.study) && !names_calibration) {
    measured.emplace(results, describe);
    time_by_measured(planning, *measured, code, notes);
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
      basis.insert(measured ? measured_basis(code) : "throughputs of the calibration");
    }
    study.runs.push_back(std::move(run));
  }
  study.basis = fmt::format("{}", fmt::join(basis, "; "));
  study.is_external = is_external(planning.study);
  if (study.is_external) {
    study.why_unpredicted = why_untimed(planning, measured ? &*measured : nullptr);
  } else {
    study.why_unpredicted.text = predicted.why_none;
  }
  study.has_packed_jobs = has_packed_jobs(plan);
  study.notes = std::move(notes);
  study.skipped_points = plan.skipped.size();
  return study;
}

}  // namespace dlscale::forecast
