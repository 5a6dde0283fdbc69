// SPDX-License-Identifier: Apache-2.0
// Finds the cores and GPUs of this machine, and the ranks of local runs for which they suffice.
#pragma once

#include "contract/plan/plan.hpp"
#include "planner/site/machine.hpp"

namespace dlscale::workspace {

/// Returns the cores and GPUs of this machine that local jobs may use.
planner::Machine this_machine();

/// Returns the largest number of ranks of a run of the plan for which `machine` has enough cores or
/// GPUs. Returns 0 (no limit) if the plan is not for a local site, or if the machine lacks the
/// devices of the plan.
int most_ranks(const contract::Plan& plan, const planner::Machine& machine);

}  // namespace dlscale::workspace
