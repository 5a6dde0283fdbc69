// SPDX-License-Identifier: Apache-2.0
// Detects a plan folder that was moved or copied after planning.
#pragma once

#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::workspace {

/// Throws base::UsageError if the job scripts of `plan` name another folder than `folder`. Without
/// this check, the jobs of a copied folder would train in the original folder.
void require_unmoved(const contract::PlanDir& folder, const contract::Plan& plan);

}  // namespace dlscale::workspace
