// SPDX-License-Identifier: Apache-2.0
// Turns a study file and a site into a folder of run descriptions and job scripts.
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

/// Files that are installed with the program or built next to the program.
struct Resources {
  std::filesystem::path sites, templates;
  std::optional<std::filesystem::path> job_template;  ///< user's template, replaces the default
  std::optional<std::filesystem::path> capabilities;  ///< capabilities of the trainer, if any
  std::optional<std::filesystem::path> trainer;  ///< dlscale-train next to this program, if any
  /// Folders of model cards and devices. With both folders, points that do not fit the memory of
  /// their GPU are left out. Without them, the memory is not checked.
  std::optional<std::filesystem::path> cards = {}, devices = {};
};

struct PlanRequest {
  std::filesystem::path study;
  std::string site = "local";           ///< name in the sites folder, or path to a .toml file
  std::vector<std::string> overrides;   ///< -S arguments: key=value
  std::optional<double> max_gpu_hours;  ///< limit that replaces the study's limit
  bool fit = false;                     ///< true: points are left out to meet the limit
};

/// Parts of the plan folder that an earlier plan of the study left.
struct EarlierPlan {
  /// Jobs that may stay: single jobs, and arrays and packed jobs that are still valid.
  std::vector<contract::PlannedJob> jobs;
  /// Runs that have started. Time limits follow the runs that have finished.
  std::vector<FinishedRun> runs;
};

/// Makes a plan in three steps: read, expand, finish. Between the steps the caller may select
/// points. Writes no files.
class Planner {
 public:
  /// Reads the study and the site. `resources` must outlive the planner. Throws base::SpecError or
  /// base::UsageError for a study or site that is wrong or cannot be read.
  Planner(const PlanRequest& request, const Resources& resources);

  /// Returns the plan so far: study, site and axes. After expand(), also the skipped points.
  const contract::Plan& plan() const { return planning_.plan; }
  bool has_substudies() const { return planning_.study.matrices.size() > 1; }
  /// Returns true when jobs of an earlier plan may stay.
  bool keeps_jobs() const;
  /// Returns true when time limits follow the finished runs of an earlier plan.
  bool learns_limits() const;

  /// Derives the run of each wanted point, or of all points without a condition. Runs that `names`
  /// contains keep their names. With a condition, returns the number of points that the condition
  /// was evaluated for and accepted. Throws the errors of planner::expand.
  std::optional<Asked> expand(const Wanted& wanted = {}, const RunNames& names = {});
  /// Returns the plan with its runs: names, points, GPUs and batches. Times and jobs are not known
  /// yet.
  contract::Plan outline() const;
  /// Keeps the points whose runs have these ids. Throws base::UsageError for a point of which only
  /// some repetitions are named.
  void keep(const std::set<std::string>& run_ids);

  /// Gives each run its resources and arranges the runs in jobs. Throws base::SpecError for a run
  /// that the site cannot start and for a plan that costs too much. The planner must not be used
  /// afterwards.
  Planning finish(EarlierPlan earlier = {});

 private:
  const PlanRequest request_;
  const Resources& resources_;
  std::string study_text_;
  std::optional<Knowledge> trainer_;
  Planning planning_;
};

/// Plans all points of the request's study as for a new folder. Throws the errors of Planner.
Planning make_plan(const PlanRequest& request, const Resources& resources);

/// Returns the script of plan.jobs[job] for a plan folder at `out`. Throws base::SpecError when a
/// template uses an unknown name or when a value is not allowed at its place in the template.
std::string job_script(const Planning& planning, std::size_t job, const Resources& resources,
                       const contract::PlanDir& out);

struct WrittenPlan {
  int written = 0;                 ///< number of new or changed files
  int unchanged = 0;               ///< number of files that were already correct
  std::vector<std::string> stale;  ///< ids of runs with results of another description; files kept
};

/// Returns what write_plan would do to the folder. Writes nothing. Throws the errors of job_script
/// for any of the jobs, and base::UsageError when the folder holds the plan of another study.
WrittenPlan check_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

/// Writes the folder, with plan.json last. Deletes nothing. Throws the errors of check_plan, and
/// base::UsageError for a folder that cannot be made. In these cases the folder is unchanged.
/// Throws base::RunError when a file cannot be written.
WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

}  // namespace dlscale::planner
