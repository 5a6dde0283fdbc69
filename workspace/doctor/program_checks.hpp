// SPDX-License-Identifier: Apache-2.0
// Whether the programs that a site's jobs start are there and fit together: trainer, launcher,
// container, GPUs.
#pragma once

#include <optional>
#include <string>

#include "contract/records/capabilities.hpp"
#include "planner/site/site.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Runs programs as the site's jobs do: after its lines for modules and environment.
Checks check_programs(const planner::Site& site, const std::string& trainer,
                      runner::CommandRunner& commands);

/// What a trainer says of itself against what the site wants of it. `mpirun`: the launcher's own
/// words on its version; empty: not asked.
Checks judge_trainer(const planner::Site& site, const contract::Capabilities& trainer,
                     const std::string& mpirun);

}  // namespace dlscale::workspace
