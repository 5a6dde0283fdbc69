// SPDX-License-Identifier: Apache-2.0
// Why a command of a batch system (sbatch, squeue, oarsub) failed, by the few lines that it
// printed. Logs of jobs, in which many programs write, are read by failure_words.hpp.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::runner {

/// The lines that report an error, in one line. Sites' plugins print information before SLURM or
/// OAR says why it rejects a job, so the first line is the reason only where no line reports an
/// error and the first line is no information. Empty when the text is blank.
std::string scheduler_error(std::string_view text);

}  // namespace dlscale::runner
