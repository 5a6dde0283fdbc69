// SPDX-License-Identifier: Apache-2.0
// What job script templates may name; docs/study-format.md lists it.
#pragma once

#include "contract/run_dir.hpp"
#include "planner/planner.hpp"
#include "planner/render.hpp"

namespace dlscale::planner {

/// The values of the plan's job number `index`, for a plan folder at `out` (absolute).
TemplateData script_data(const Planning& planning, std::size_t index, const contract::PlanDir& out);

}  // namespace dlscale::planner
