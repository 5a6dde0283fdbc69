// SPDX-License-Identifier: Apache-2.0
// What job script templates may name; docs/study-format.md lists it.
#pragma once

#include <vector>

#include "contract/plan/run_dir.hpp"
#include "planner/jobs/planning.hpp"
#include "planner/script/render.hpp"
#include "planner/script/run_values.hpp"

namespace dlscale::planner {

/// The values of the plan's job number `job`, for a plan folder at `out` (absolute). Values of a
/// run are those of the job's first; `command` is the study's. Throws base::SpecError for what no
/// script can express.
TemplateData script_data(const Planning& planning, std::size_t job, const contract::PlanDir& out,
                         ExternalCommand& command);

/// Every name, in the order of the documentation.
std::vector<ScriptName> script_names();

}  // namespace dlscale::planner
