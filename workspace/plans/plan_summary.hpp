// SPDX-License-Identifier: Apache-2.0
// What a plan comes to, in a screenful.
#pragma once

#include <iosfwd>

#include "contract/plan/plan.hpp"

namespace dlscale::workspace {

/// Runs, jobs by kind, GPU-hours in all and by axis, predicted times, one row for each distinct
/// (GPUs, nodes, batches, peak learning rate), what was skipped and why, warnings.
void print_plan_summary(const contract::Plan& plan, std::ostream& out);

}  // namespace dlscale::workspace
