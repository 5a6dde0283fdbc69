// SPDX-License-Identifier: Apache-2.0
// Tells a plan folder that has been moved or copied since it was planned.
#pragma once

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Job scripts name their folder: those of a copy would train in the original. Throws
/// base::UsageError where the scripts of `plan` name another folder than the one they are in.
void require_unmoved(const contract::PlanDir& folder, const contract::Plan& plan);

}  // namespace dlscale::workspace
