// SPDX-License-Identifier: Apache-2.0
// From a study file and a site to a folder of run descriptions and job scripts.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "contract/plan.hpp"
#include "contract/run_dir.hpp"
#include "contract/run_spec.hpp"
#include "planner/expand.hpp"
#include "planner/resources.hpp"
#include "planner/site.hpp"

namespace dlscale::planner {

/// What the program brings along.
struct Resources {
  std::filesystem::path sites, templates;
  std::optional<std::filesystem::path> capabilities;  ///< of the trainer built beside, if any
  std::optional<std::filesystem::path> trainer;       ///< dlscale-train beside, if any
};

struct PlanRequest {
  std::filesystem::path study;
  std::string site = "local";          ///< a name in the sites folder, or a path to a .toml
  std::vector<std::string> overrides;  ///< -S arguments: key=value
};

/// A plan not yet written.
struct Planning {
  contract::Plan plan;
  Study study;
  Site site;
  Expansion expansion;
  std::vector<Allocation> allocations;  ///< of each point
  std::string study_toml, site_toml;    ///< for the copies in the plan folder

  /// The i-th of plan.runs in full: made when asked for, since a plan may have a million.
  contract::RunSpec run(std::size_t i) const;
};

/// Reads, expands and checks; writes nothing. Throws base::SpecError or base::UsageError for a
/// study or site that says something wrong or cannot be read.
Planning make_plan(const PlanRequest& request, const Resources& resources);

struct JobScript {
  std::string job;
  std::string text;
};

/// The script of each job, for a plan folder at `out`. Throws base::SpecError when a template names
/// something unknown or a value cannot stand where the template wants it.
std::vector<JobScript> render_jobs(const Planning& planning, const Resources& resources,
                                   const contract::PlanDir& out);

struct WrittenPlan {
  int written = 0;                 ///< files new or changed
  int unchanged = 0;               ///< files that were right already
  std::vector<std::string> stale;  ///< ids of runs with results that the plan would now describe
                                   ///< otherwise; their run.json and script were left alone
};

/// Writes the folder; plan.json last. Nothing is deleted. Throws what render_jobs throws before
/// anything is written, base::UsageError when the folder holds another study's plan, and
/// base::RunError when a file cannot be written.
WrittenPlan write_plan(const Planning& planning, const Resources& resources,
                       const contract::PlanDir& out);

}  // namespace dlscale::planner
