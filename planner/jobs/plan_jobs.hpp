// SPDX-License-Identifier: Apache-2.0
// Holds a plan in memory and arranges its jobs within the budget.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/site/resources.hpp"
#include "planner/site/site.hpp"
#include "planner/study/expand.hpp"

namespace dlscale::planner {

/// Plan that is not written yet: the study, the site, and the runs and jobs that follow from them.
struct Planning {
  contract::Plan plan;
  Study study;
  Site site;
  Expansion expansion;
  std::vector<Allocation> allocations;               ///< resources of each point
  std::vector<std::vector<std::uint32_t>> job_runs;  ///< for each job, the indices of its runs
  /// Texts of the copies that are written to the plan folder.
  std::string study_toml, site_toml;
  std::string site_file;  ///< file that site_toml was read from
  /// Text of the complete study: merged with the studies that it extends, with the changes from -S
  /// arguments and with all defaults.
  std::string resolved;
  /// Notes on how the run times were predicted. They are also among the plan's warnings.
  std::vector<std::string> run_time_notes;

  /// Returns the complete description of plan.runs[i].
  contract::RunSpec run(std::size_t i) const;
};

/// Arranges the plan's runs in jobs and checks resources.max_gpu_hours. Jobs of `existing` that are
/// still valid stay. With `fit`, the points that fit_budget() selects are left out and listed as
/// skipped points. Adds notes to the plan's warnings. Throws base::SpecError at max_gpu_hours if
/// the plan costs more than the limit or its cost is unknown.
void plan_jobs(Planning& planning, bool fit, std::span<const contract::PlannedJob> existing = {});

}  // namespace dlscale::planner
