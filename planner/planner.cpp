// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/file.hpp"
#include "contract/records/capabilities.hpp"
#include "contract/run_spec/process_count.hpp"
#include "contract/run_spec/run_id.hpp"
#include "planner/jobs/memory_fit.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "planner/jobs/run_times.hpp"
#include "planner/plan_origin.hpp"
#include "planner/script/command_warnings.hpp"
#include "planner/script/run_values.hpp"
#include "planner/script/shell_text.hpp"
#include "planner/site/resources.hpp"
#include "planner/site/site_reader.hpp"
#include "planner/study/expand.hpp"
#include "planner/study/outlines.hpp"
#include "planner/study/point_values.hpp"
#include "planner/study/resolved.hpp"
#include "planner/study/study_reader.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

/// Reads a file that the user named on the command line. A file that cannot be read is therefore a
/// wrong argument, and the function throws base::UsageError.
std::string read_named_file(const fs::path& file) {
  try {
    return base::read_text_file(file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

/// Returns whether the site uses the trainer that was built next to this program.
bool uses_trainer_here(const Site& site, const Resources& resources) {
  return site.trainer.empty() && site.scheduler == "local" && resources.trainer;
}

/// Returns the capabilities of the trainer from the file that the site names. If the site names no
/// file, returns the capabilities of the trainer built next to this program. Returns nothing if
/// neither exists.
std::optional<Knowledge> known_trainer(const Site& site, const Resources& resources) {
  if (!site.capabilities.empty()) {
    const std::string text = read_named_file(site.capabilities);
    return Knowledge{contract::capabilities_from_json(text, site.capabilities), site.capabilities,
                     true};
  }
  if (!resources.capabilities) return std::nullopt;
  const std::string file = resources.capabilities->string();
  return Knowledge{contract::capabilities_from_json(base::read_file(file), file), file,
                   uses_trainer_here(site, resources)};
}

/// Appends each repetition of a point to `runs`. The job, times and cost of the runs are not known
/// yet.
void list_runs(const Study& study, const Point& point, std::vector<contract::PlannedRun>& runs) {
  const contract::RunSpec& run = point.run;
  repeat(study, point,
         {.point = run.point,
          .substudies = substudies_of(study, point),
          .log_format = study.read_format.empty() ? run.trainer.log_format : study.read_format,
          .gpus = run.gpus,
          .batch_per_gpu = run.batch_per_gpu,
          .global_batch = run.global_batch,
          .uneven_batch = run.uneven_batch,
          .steps = run.steps,
          .epochs = run.epochs,
          .lr_peak = run.lr.peak},
         runs);
}

void note_once(std::vector<std::string>& notes, const std::string& note) {
  if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
}

/// Returns whether a single process of dlscale-train drives all GPUs of a run.
bool has_one_process(const contract::RunSpec& run) {
  return run.trainer.command.empty() && contract::process_count(run) < run.gpus;
}

/// Predicted time and resources of a run.
struct PointAllocation {
  predict::Band predicted_s;
  Allocation allocation;
  double limit_s() const {
    const double walltime_s = allocation.request.walltime_s;
    return walltime_s > 0 ? walltime_s : std::numeric_limits<double>::infinity();
  }
};

/// Allocates the resources of a point. If several sub-studies share the point, the point gets the
/// resources of the sub-study with the longest time limit.
PointAllocation allocate_point(Planning& planning, Point& point, const contract::RunSpec& run,
                               RunTimes& times) {
  const Study& study = planning.study;
  const auto request_of = [&](std::uint32_t matrix) -> const ResourceSettings& {
    return study.matrices[matrix].resources;
  };
  const auto with = [&](const ResourceSettings& requested, const predict::Band& predicted_s) {
    return PointAllocation{predicted_s, allocate(planning.site, requested, gpus_of(study, point),
                                                 predicted_s, has_one_process(run))};
  };
  const ResourceSettings& first = request_of(point.matrix);
  const predict::Band first_s = times.of(run, first, planning.site);
  PointAllocation allocation = with(first, first_s);
  for (const std::uint32_t matrix : point.also) {
    const ResourceSettings& requested = request_of(matrix);
    PointAllocation other = with(requested, requested.calibration == first.calibration
                                                ? first_s
                                                : times.of(run, requested, planning.site));
    if (other.limit_s() == allocation.limit_s()) continue;
    note_once(planning.plan.warnings,
              fmt::format("sub-studies {} and {} set different time limits for shared runs: the "
                          "longer limit applies",
                          study.matrices[point.resources].name, study.matrices[matrix].name));
    if (other.limit_s() < allocation.limit_s()) continue;
    allocation = std::move(other);
    point.resources = matrix;
  }
  return allocation;
}

/// Throws base::SpecError if an external trainer needs several nodes but the study sets no
/// launcher. Without a launcher the command is started only once, on one node.
void check_start(const Study& study, const Site& site, const contract::RunSpec& run) {
  const int nodes = run.resources.nodes;
  if (run.trainer.command.empty() || !run.trainer.launcher.empty() || nodes == 1) return;
  throw base::SpecError(
      study.command_where, "trainer.command",
      fmt::format(
          "is started once, but {} GPUs are on {} nodes of {}; set launcher = \"torchrun\" or "
          "\"ranks\", or \"plain\" if the command starts processes on the other nodes itself",
          run.gpus, nodes, site.name));
}

const Partition* partition_of(const Site& site, const Allocation& allocation) {
  if (allocation.partition < 0) return nullptr;
  return &site.partitions[static_cast<std::size_t>(allocation.partition)];
}

/// Adds the runs of all points. A point that does not fit the memory of its GPU becomes a skipped
/// point.
void add_runs(Planning& planning, Warnings& warnings, RunTimes& times, MemoryFit& memory,
              const FinishedRuns& history) {
  const Study& study = planning.study;
  std::vector<Point>& points = planning.expansion.points;
  planning.allocations.reserve(points.size());
  planning.plan.runs.reserve(points.size() * static_cast<std::size_t>(study.repeats));
  std::size_t kept = 0;
  for (Point& point : points) {
    contract::RunSpec& run = point.run;
    // Predictions depend on the device, because only GPUs overlap communication with computation.
    run.resources.device = planning.site.device;
    PointAllocation allocation = allocate_point(planning, point, run, times);
    const predict::Measurements* const measured =
        times.measured(study.matrices[point.resources].resources);
    if (const auto why =
            memory.conflict(run, partition_of(planning.site, allocation.allocation), measured)) {
      planning.plan.skipped.push_back({run.point, *why});
      continue;
    }
    run.resources = allocation.allocation.request;
    check_start(study, planning.site, run);
    planning.allocations.push_back(std::move(allocation.allocation));
    contract::validate(run, study.file);
    warnings.look_at(run, study.repeats);
    const std::size_t first = planning.plan.runs.size();
    list_runs(study, point, planning.plan.runs);
    for (std::size_t i = first; i < planning.plan.runs.size(); ++i) {
      contract::PlannedRun& planned = planning.plan.runs[i];
      const predict::Band predicted_s =
          history.predicted_s(planned.run_id).value_or(allocation.predicted_s);
      planned.predicted_s = predicted_s.value;
      planned.predicted_low_s = predicted_s.low;
      planned.predicted_high_s = predicted_s.high;
    }
    if (&points[kept] != &point) points[kept] = std::move(point);
    ++kept;
  }
  points.resize(kept);
}

/// Adds warnings about settings that the site does not support, about the accuracy of predictions,
/// and about the command of an external trainer.
void note_resources(Planning& planning, const RunTimes& times) {
  std::vector<std::string> notes = planning.run_time_notes = times.notes();
  for (const Matrix& matrix : planning.study.matrices) {
    const auto requested =
        unsupported_settings(planning.site, matrix.resources, planning.study.launch);
    for (const std::string& note : requested) note_once(notes, note);
  }
  const contract::ExternalTrainer& trainer = planning.study.trainer;
  const bool one_shape = !trainer.command.empty() && trainer.launcher != "ranks";
  for (const Allocation& given : planning.allocations) {
    if (!one_shape || given.partition < 0) break;
    const Partition& partition =
        planning.site.partitions[static_cast<std::size_t>(given.partition)];
    if (!partition.moldable) continue;
    note_once(
        notes,
        fmt::format("jobs on {} request only one shape although the partition is moldable, because "
                    "the command cannot adapt to another shape; set launcher = \"ranks\" to allow "
                    "other shapes",
                    partition.name));
  }
  for (const std::string& note : unused_parameters(planning.study)) note_once(notes, note);
  for (const std::string& note : command_warnings(planning.study, planning.expansion.points)) {
    note_once(notes, note);
  }
  std::vector<std::string>& warnings = planning.plan.warnings;
  warnings.insert(warnings.end(), notes.begin(), notes.end());
}

/// Counts the warnings again after --fit has left out points.
void count_again(const Planning& planning, Warnings& warnings, RunTimes& times) {
  times.forget_counts();
  for (const Point& point : planning.expansion.points) {
    warnings.look_at(point.run, planning.study.repeats);
    times.of(point.run, planning.study.matrices[point.matrix].resources, planning.site);
  }
}

/// Returns whether the study sets no time limit and the planner can derive one from predictions.
bool is_automatic(const ResourceSettings& requested, const Site& site) {
  return requested.walltime_s == 0 && (site.scheduler != "local" || !requested.calibration.empty());
}

/// Applies the finished runs of the folder to the automatic time limits: sets their margins from
/// the prediction errors. Returns the finished runs.
FinishedRuns apply_history(std::vector<FinishedRun> runs, Planning& planning) {
  FinishedRuns finished(std::move(runs));
  for (Matrix& matrix : planning.study.matrices) {
    ResourceSettings& requested = matrix.resources;
    if (requested.walltime_s > 0) continue;
    if (const std::string note = finished.note(requested); !note.empty()) {
      note_once(planning.plan.warnings, note);
    }
    requested.margin = finished.margin(requested);
  }
  return finished;
}

/// Replaces the study's limit of GPU-hours by the limit from the command line.
void limit_gpu_hours(double hours, Study& study) {
  const config::Node node{hours, {fmt::format("--max-gpu-hours {}", hours)}};
  config::Item{node, "resources.max_gpu_hours"}.number(0);
  for (Matrix& matrix : study.matrices) matrix.resources.max_gpu_hours = node;
}

std::vector<std::string> all_overrides(const PlanRequest& request) {
  std::vector<std::string> all = request.overrides;
  if (request.max_gpu_hours) {
    all.push_back(fmt::format("resources.max_gpu_hours={}", *request.max_gpu_hours));
  }
  return all;
}

void warn_of_baseline(const contract::Plan& plan, std::vector<std::string>& warnings) {
  if (plan.baseline.rule != "gpus") return;
  const bool planned = std::any_of(plan.runs.begin(), plan.runs.end(),
                                   [&](const auto& run) { return run.gpus == plan.baseline.gpus; });
  if (!planned) {
    warnings.push_back(
        fmt::format("no run has the {} GPUs of the baseline: speed-ups cannot be computed",
                    plan.baseline.gpus));
  }
}

contract::Plan plan_of(const Study& study, const Site& site) {
  contract::Plan plan;
  plan.study = study.name;
  plan.scaling = study.scaling;
  plan.site = site.name;
  plan.scheduler = site.scheduler;
  plan.reference = study.reference;
  plan.baseline = study.baseline;
  plan.repeats = study.repeats;
  plan.until = study.until;
  for (const Matrix& matrix : study.matrices) add_axes(matrix, plan.axes);
  return plan;
}

/// Returns the text of the study, preceded by a comment that lists the changes from the command
/// line.
std::string with_overrides(const std::string& study, const std::vector<std::string>& overrides) {
  if (overrides.empty()) return study;
  std::string note = "# Planned with changes from the command line, which are not in this text:\n";
  for (const std::string& assignment : overrides) {
    note += "#   -S " + shell_quote(assignment) + "\n";
  }
  return note + "\n" + study;
}

}  // namespace

Planner::Planner(const PlanRequest& request, const Resources& resources)
    : request_(request), resources_(resources), study_text_(read_named_file(request.study)) {
  Study& study = planning_.study;
  study = read_study(study_text_, request.study.string(), request.overrides);
  if (!study.log_format.text.empty() && resources.own_format) {
    Resources::OwnFormat own = resources.own_format(study.log_format.text, study.log_format.file);
    study.read_format = std::move(own.name);
    format_warnings_ = std::move(own.warnings);
  }
  check_parameters(study);
  if (request.max_gpu_hours) limit_gpu_hours(*request.max_gpu_hours, study);
  planning_.site_file = site_file(request.site, resources.sites);
  planning_.site_toml = read_named_file(planning_.site_file);
  Site& site = planning_.site;
  site = read_site(planning_.site_toml, planning_.site_file);
  trainer_ = known_trainer(site, resources);
  if (site.trainer.empty()) {
    site.trainer = uses_trainer_here(site, resources)
                       ? fs::absolute(*resources.trainer).lexically_normal().string()
                       : "dlscale-train";
  }
  planning_.plan = plan_of(study, site);
}

bool Planner::keeps_jobs() const {
  return planning_.study.launch.array || planning_.study.launch.pack;
}

bool Planner::learns_limits() const {
  const std::vector<Matrix>& matrices = planning_.study.matrices;
  return std::any_of(matrices.begin(), matrices.end(), [&](const Matrix& matrix) {
    return is_automatic(matrix.resources, planning_.site);
  });
}

std::optional<Asked> Planner::expand(const Wanted& wanted, const RunNames& names) {
  Expansion& expansion = planning_.expansion;
  expansion = planner::expand(planning_.study, wanted, names);
  if (expansion.points.empty() && !wanted) {
    throw base::SpecError({planning_.study.file}, "",
                          "every point of the study is excluded or skipped");
  }
  planning_.plan.skipped = std::move(expansion.skipped);
  planning_.plan.warnings = expansion.notes;
  return expansion.asked;
}

contract::Plan Planner::outline() const {
  contract::Plan plan = planning_.plan;
  plan.runs = outlines(planning_.study, planning_.expansion.points);
  return plan;
}

void Planner::keep(const std::set<std::string>& run_ids) {
  const int repeats = planning_.study.repeats;
  std::erase_if(planning_.expansion.points, [&](const Point& point) {
    int runs = 0;
    for (int repetition = 1; repetition <= repeats; ++repetition) {
      if (run_ids.contains(contract::run_id_of(point.id, repetition))) ++runs;
    }
    if (runs == 0 || runs == repeats) return runs == 0;
    throw base::UsageError(
        fmt::format("{} of the {} repetitions of {} are selected, but a point is planned with all "
                    "of its repetitions; select all of them, or lower study.repeats",
                    runs, repeats, point.id));
  });
}

Planning Planner::finish(EarlierPlan earlier) {
  std::vector<Point>& points = planning_.expansion.points;
  const bool any_point = !points.empty();
  const FinishedRuns finished = apply_history(std::move(earlier.runs), planning_);
  contract::Plan& plan = planning_.plan;
  RunTimes times(StepTimes(resources_.cards, resources_.devices), finished, plan.axes);
  MemoryFit memory(resources_.cards, resources_.devices);
  Warnings warnings(trainer_);
  add_runs(planning_, warnings, times, memory, finished);
  if (any_point && points.empty()) {
    throw base::SpecError(
        {planning_.study.file}, "",
        "no point fits the GPUs of " + planning_.site.name + ": " + plan.skipped.back().why);
  }
  for (const std::string& note : memory.notes()) plan.warnings.push_back(note);
  const std::size_t fitting = points.size();
  plan_jobs(planning_, request_.fit, earlier.jobs);
  if (points.size() < fitting) {
    warnings = Warnings(trainer_);
    count_again(planning_, warnings, times);
  }
  note_resources(planning_, times);
  if (resources_.machine && planning_.site.scheduler == "local") {
    const std::string crowding = crowding_warning(*resources_.machine, planning_.allocations);
    if (!crowding.empty()) plan.warnings.push_back(crowding);
  }
  for (const std::string& warning : format_warnings_) note_once(plan.warnings, warning);
  warn_of_baseline(plan, plan.warnings);
  warnings.add_to(plan.warnings);
  const std::vector<std::string> overrides = all_overrides(request_);
  plan.origin = origin_of(planning_.study, overrides, earlier.folder);
  for (const std::string& warning : copy_warnings(planning_.study, overrides)) {
    plan.warnings.push_back(warning);
  }
  planning_.resolved = resolved_study(study_text_, request_.study.string(), overrides);
  planning_.study_toml =
      planning_.study.bases.empty()
          ? with_overrides(study_text_, overrides)
          : "# This study, merged with the studies that it extends.\n" + planning_.resolved;
  return std::move(planning_);
}

Planning make_plan(const PlanRequest& request, const Resources& resources) {
  Planner planner(request, resources);
  planner.expand();
  return planner.finish();
}

}  // namespace dlscale::planner
