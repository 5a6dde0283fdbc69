// SPDX-License-Identifier: Apache-2.0
// From a study file and a site to a folder of run descriptions and job scripts.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "planner/study/run_names.hpp"
#include "planner/warnings.hpp"

namespace dlscale::planner {

/// What the program brings along.
struct Resources {
  std::filesystem::path sites, templates;
  std::optional<std::filesystem::path> job_template;  ///< instead of the scheduler's
  std::optional<std::filesystem::path> capabilities;  ///< of the trainer built beside, if any
  std::optional<std::filesystem::path> trainer;       ///< dlscale-train beside, if any
  /// Model cards and devices: points that a GPU's memory cannot hold are left out; without them
  /// none is.
  std::optional<std::filesystem::path> cards = {}, devices = {};
};

struct PlanRequest {
  std::filesystem::path study;
  std::string site = "local";           ///< a name in the sites folder, or a path to a .toml
  std::vector<std::string> overrides;   ///< -S arguments: key=value
  std::optional<double> max_gpu_hours;  ///< counts before the study's own
  bool fit = false;  ///< leave out points rather than exceed resources.max_gpu_hours
};

/// What the plan folder has of an earlier plan of the study.
struct EarlierPlan {
  /// Jobs that may stay: single ones, and arrays and packed jobs that are still right.
  std::vector<contract::PlannedJob> jobs;
  /// Runs that have begun. Time limits follow those that have finished.
  std::vector<FinishedRun> runs;
};

/// Makes a plan in three steps, between which the caller may choose points: read, expand, finish.
/// Writes nothing.
class Planner {
 public:
  /// Reads the study and the site. `resources` must outlive the planner. Throws base::SpecError or
  /// base::UsageError for a study or site that is wrong or cannot be read.
  Planner(const PlanRequest& request, const Resources& resources);

  /// Returns the plan so far: study, site and axes; once expanded, also the skipped points.
  const contract::Plan& plan() const { return planning_.plan; }
  bool has_substudies() const { return planning_.study.matrices.size() > 1; }
  /// True when jobs of an earlier plan may stay.
  bool keeps_jobs() const;
  /// True when time limits follow the finished runs of an earlier plan.
  bool learns_limits() const;

  /// Derives the run of each wanted point; of all points without a condition. Runs that `names`
  /// knows keep their names. Returns how many points the condition was asked about, where there is
  /// one. Throws what planner::expand throws.
  std::optional<Asked> expand(const Wanted& wanted = {}, const RunNames& names = {});
  /// Returns the plan with its runs: names, points, GPUs and batches; no times and no jobs yet.
  contract::Plan outline() const;
  /// Keeps the points whose runs have these ids. Throws base::UsageError for a point of which only
  /// some repetitions are named.
  void keep(const std::set<std::string>& run_ids);

  /// Gives each run its resources and arranges the runs in jobs. Throws base::SpecError for a run
  /// that the site cannot start and for a plan that costs too much. Ends the planner.
  Planning finish(EarlierPlan earlier = {});

 private:
  const PlanRequest request_;
  const Resources& resources_;
  std::string study_text_;
  std::optional<Knowledge> trainer_;
  Planning planning_;
};

/// Plans all points of the request's study as for a new folder. Throws what Planner throws.
Planning make_plan(const PlanRequest& request, const Resources& resources);

/// The script of plan.jobs[job], for a plan folder at `out`. Throws base::SpecError when a template
/// names something unknown or a value cannot stand where the template wants it.
std::string job_script(const Planning& planning, std::size_t job, const Resources& resources,
                       const contract::PlanDir& out);

struct WrittenPlan {
  int written = 0;                 ///< files new or changed
  int unchanged = 0;               ///< files that were right already
  std::vector<std::string> stale;  ///< ids of runs with results that the plan would now describe
                                   ///< otherwise; their run.json and script were left alone
};

/// What write_plan would do to the folder; writes nothing. Throws what job_script throws for any of
/// the jobs, and base::UsageError when the folder holds another study's plan.
WrittenPlan check_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

/// Writes the folder; plan.json last. Nothing is deleted. Throws what check_plan throws, and
/// base::UsageError for a folder that cannot be made; the folder is then as before. Throws
/// base::RunError when a file cannot be written.
WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

}  // namespace dlscale::planner
