// SPDX-License-Identifier: Apache-2.0
// Environment variables through which an outer job, an outer launcher or a user's shell would
// change what jobs do.
// SLURM's commands read options from the environment, and sbatch hands the environment on to the
// job, where srun reads options again. So do Open MPI, PMIx, torchrun and others with the ranks of
// the launcher above them. The tables below name these variables. Programs that dlscale starts do
// not get them, and job scripts unset those that reached the job in another way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::base {

/// True when `pattern` is `name`, or ends in `*` and `name` begins with what is before the star.
bool matches_variable(std::string_view pattern, std::string_view name);

/// True for a variable that the tables name, on whichever batch system.
bool is_inherited_variable(std::string_view name);

/// True for a variable that a program started for `scheduler` (local, slurm, oar) does not get.
/// `kept` are names that the site keeps.
bool is_removed_variable(std::string_view name, std::string_view scheduler,
                         const std::vector<std::string>& kept);

/// What a job script must know of its environment, as patterns of bash's `case`.
struct ScriptVariables {
  std::vector<std::string_view> kept;   ///< come first: exceptions from `unset`
  std::vector<std::string_view> unset;  ///< options and ranks that are not this job's
};

/// For a script of `scheduler`. `own` are the variables that SLURM sets because of the script's
/// directives, `kept` those that the site keeps, which must outlive the result.
ScriptVariables script_variables(std::string_view scheduler, const std::vector<std::string>& own,
                                 const std::vector<std::string>& kept);

}  // namespace dlscale::base
