// SPDX-License-Identifier: Apache-2.0
// The jobs of a plan, within its budget.
#pragma once

#include <span>

#include "planner/jobs/planning.hpp"

namespace dlscale::planner {

/// Arranges the plan's runs in jobs (of the `existing` some may stay) and checks
/// resources.max_gpu_hours. With `fit`, points that fit_budget chooses become skipped ones. Notes
/// go to the plan's warnings. Throws base::SpecError at max_gpu_hours when the plan costs more, or
/// its cost is not known.
void plan_jobs(Planning& planning, bool fit, std::span<const contract::PlannedJob> existing = {});

}  // namespace dlscale::planner
