// SPDX-License-Identifier: Apache-2.0
// The options that name a plan folder and select its runs, the same on every verb: --run, --where,
// --state and --allow-empty.
#pragma once

#include <string>
#include <vector>

#include "workspace/runs/selection.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

// How the plan folder that a verb is about is named on the command line.

/// Declares the folder as the verb's first argument. `folder` must outlive the parsing.
void add_folder_argument(CLI::App& app, std::string& folder,
                         const char* description = "plan folder (default: the current folder)");

/// In a plan folder its name may be left out: a first word that is no folder is a run then.
void allow_runs_alone(std::string& folder, std::vector<std::string>& runs);

// --state: the option that chooses runs by how far they are, the same on every verb.

/// Declares --state. `choice` must outlive the parsing.
void add_state_option(CLI::App& app, workspace::StateChoice& choice,
                      const std::string& description);

// --run, --where and --allow-empty: the options that select runs of a plan, the same on every verb.

/// How runs are named beside --run.
enum class RunArguments { none, positional };

/// Declares --run, --where and --allow-empty; with RunArguments::positional ids and globs may also
/// follow the arguments declared before. `choice` must outlive the parsing.
void add_selection_options(CLI::App& app, workspace::SelectionChoice& choice,
                           RunArguments arguments);

}  // namespace dlscale::cli
