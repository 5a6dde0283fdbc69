// SPDX-License-Identifier: Apache-2.0
// Finds the reason why a command of a batch system (sbatch, squeue, oarsub) failed in the few lines
// that the command printed.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::runner {

/// Returns the lines that report an error, joined in one line. Plugins of sites print information
/// before SLURM or OAR reports why it rejects a job. Therefore, if no line reports an error,
/// returns the first line that is not informational, or the last line if all lines are
/// informational. Returns an empty string for blank text. For logs of jobs, to which many programs
/// write, see failure_words.hpp.
std::string scheduler_error(std::string_view text);

}  // namespace dlscale::runner
