// SPDX-License-Identifier: Apache-2.0
// Checks that the programs that the jobs of a site use exist and fit together: trainer, launcher,
// container and GPUs.
#pragma once

#include <optional>
#include <string>

#include "contract/records/capabilities.hpp"
#include "planner/site/site.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Runs the programs after the module and environment lines of the site, as jobs do, and checks
/// their answers.
Checks check_programs(const planner::Site& site, const std::string& trainer,
                      runner::CommandRunner& commands);

/// Compares the capabilities of a trainer with the needs of the site. `mpirun` is the version line
/// of the launcher, or empty if it was not queried.
Checks judge_trainer(const planner::Site& site, const contract::Capabilities& trainer,
                     const std::string& mpirun);

}  // namespace dlscale::workspace
