// SPDX-License-Identifier: Apache-2.0
// Lists environment variables of an outer job, an outer launcher or a user's shell that would
// change what jobs do.
//
// SLURM's commands read options from the environment. sbatch passes the environment on to the job,
// where srun reads options again. Open MPI, PMIx, torchrun and others read the ranks of an outer
// launcher in the same way. The tables of this library name these variables. dlscale removes the
// variables from the environment of the programs that it starts. Job scripts unset the variables
// that reached the job in another way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::base {

/// Returns whether `pattern` equals `name`, or ends in `*` and `name` begins with the text before
/// the star.
bool matches_variable(std::string_view pattern, std::string_view name);

/// Returns whether the tables contain the variable, for any batch system.
bool is_inherited_variable(std::string_view name);

/// Returns whether dlscale removes the variable from the environment of a program that it starts
/// for `scheduler` (local, slurm, oar). `kept` are names of variables that the site keeps.
bool is_removed_variable(std::string_view name, std::string_view scheduler,
                         const std::vector<std::string>& kept);

/// Patterns of bash's `case` for the variables that a job script keeps, and for those that it
/// unsets.
struct ScriptVariables {
  /// Patterns of variables that stay set even if `unset` matches.
  std::vector<std::string_view> kept;
  /// Patterns of variables that state options or ranks and do not belong to this job.
  std::vector<std::string_view> unset;
};

/// Returns the variables for a job script of `scheduler`. `own` are the variables that SLURM sets
/// because of the script's directives. The script does not unset them. `kept` are the variables
/// that the site keeps, and `kept` must outlive the result.
ScriptVariables script_variables(std::string_view scheduler, const std::vector<std::string>& own,
                                 const std::vector<std::string>& kept);

}  // namespace dlscale::base
