// SPDX-License-Identifier: Apache-2.0
// A plan in memory, and its jobs within its budget.
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

// A plan in memory: the study, the site, and the runs and jobs that come of them.

/// A plan not yet written.
struct Planning {
  contract::Plan plan;
  Study study;
  Site site;
  Expansion expansion;
  std::vector<Allocation> allocations;               ///< of each point
  std::vector<std::vector<std::uint32_t>> job_runs;  ///< of each job: indices of plan.runs
  std::string study_toml, site_toml;                 ///< for the copies in the plan folder
  std::string site_file;                             ///< where site_toml was read
  std::string resolved;  ///< the study with all it extends, -S and the defaults

  /// Returns the i-th of plan.runs in full.
  contract::RunSpec run(std::size_t i) const;
};

// The jobs of a plan, within its budget.

/// Arranges the plan's runs in jobs (of the `existing` some may stay) and checks
/// resources.max_gpu_hours. With `fit`, points that fit_budget chooses become skipped ones. Notes
/// go to the plan's warnings. Throws base::SpecError at max_gpu_hours when the plan costs more, or
/// its cost is not known.
void plan_jobs(Planning& planning, bool fit, std::span<const contract::PlannedJob> existing = {});

}  // namespace dlscale::planner
