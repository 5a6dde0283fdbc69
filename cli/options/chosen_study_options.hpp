// SPDX-License-Identifier: Apache-2.0
// Declares the options that select collected studies, their baseline and their runs, for the
// commands that evaluate results.
#pragma once

#include "workspace/chosen_study.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares DIR, --baseline, --mixed, --outliers, --warmup and the selection of runs. Further
/// arguments are plan folders or runs. After the parsing, the caller must call
/// workspace::find_sources(), which divides these arguments. `choice` must outlive the parsing of
/// the command line.
void add_study_options(CLI::App& app, workspace::StudyChoice& choice);

/// Declares --min-efficiency for commands that recommend a number of GPUs. `efficiency` must
/// outlive the parsing of the command line.
void add_efficiency_option(CLI::App& app, double& efficiency);

}  // namespace dlscale::cli
