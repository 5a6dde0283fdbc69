// SPDX-License-Identifier: Apache-2.0
// Checks that the programs that the jobs of a site use exist and fit together: dlscale-train or
// the program of the user's own training script, launcher, container and GPUs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/capabilities.hpp"
#include "planner/site/site.hpp"
#include "runner/batch/command_runner.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Command of the user's own training script.
struct OwnCommand {
  /// Program that the jobs start. Empty if the first word of the command is not a plain name.
  std::string program;
  std::vector<std::string> setup;  ///< lines of trainer.environment_setup
  bool uses_launcher = false;      ///< true if the launcher of the site starts the ranks
};

/// Programs that the runs need.
struct ProgramNeeds {
  /// True if dlscale-train is known to be needed. False: dlscale-train may be missing.
  bool trainer = true;
  std::optional<OwnCommand> own = {};  ///< command of a study that does not use dlscale-train
};

/// Runs the programs after the module and environment lines of the site, as jobs do, and checks
/// their answers.
Checks check_programs(const planner::Site& site, const std::string& trainer,
                      runner::CommandRunner& commands, const ProgramNeeds& needs);

/// Compares the capabilities of a trainer with the needs of the site. `mpirun` is the version line
/// of the launcher, or empty if it was not queried.
Checks judge_trainer(const planner::Site& site, const contract::Capabilities& trainer,
                     const std::string& mpirun);

}  // namespace dlscale::workspace
