// SPDX-License-Identifier: Apache-2.0
// From a study file and a site to a folder of run descriptions and job scripts.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/jobs/finished_runs.hpp"
#include "planner/jobs/plan_jobs.hpp"

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
  /// The ids of the runs to plan, asked with all of them before the site is; empty: all. They have
  /// their points, GPUs and batches; no learning rates yet, no times and no jobs. A point is chosen
  /// with all of its repetitions.
  std::function<std::set<std::string>(const contract::Plan&)> choose;
  /// Makes of the plan's axes a condition on points, which then counts instead of `choose`; or
  /// nothing. Not asked for studies with sub-studies: what those share shows only in the ids.
  std::function<Wanted(const contract::Plan&)> wanted;
  /// The jobs that the folder has of an earlier plan, asked for where launch.array or launch.pack
  /// is set, with the new plan before it has jobs: single ones stay, and arrays and packed jobs
  /// that still are right.
  std::function<std::vector<contract::PlannedJob>(const contract::Plan&)> existing;
  /// The runs of the folder that have finished, asked with the new plan before it has runs: time
  /// limits learn from them.
  std::function<std::vector<FinishedRun>(const contract::Plan&)> finished;
};

/// Reads, expands and checks; writes nothing. Throws base::SpecError or base::UsageError for a
/// study or site that says something wrong or cannot be read, and for a choice among the
/// repetitions of a point.
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

/// Writes the folder; plan.json last. Nothing is deleted. Throws what check_plan throws before
/// anything is written, and base::RunError when a file cannot be written.
WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

}  // namespace dlscale::planner
