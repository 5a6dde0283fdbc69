// SPDX-License-Identifier: Apache-2.0
// Finds the reason why a command of a batch system (sbatch, squeue, oarsub) failed in the few lines
// that the command printed.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::runner {

/// Returns the lines of `text` that report an error, joined into one line. If no line reports an
/// error, returns the first line that is not informational. Such a rule is needed because plugins
/// of sites print information before SLURM or OAR reports why it rejects a job. If all lines are
/// informational, returns the last line. Returns an empty string for blank text. For logs of jobs,
/// to which many programs write, see failure_words.hpp.
std::string scheduler_error(std::string_view text);

}  // namespace dlscale::runner
