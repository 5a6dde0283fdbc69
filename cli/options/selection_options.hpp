// SPDX-License-Identifier: Apache-2.0
// The options that name a plan folder and select its runs: --run, --where, --state and --allow-
// empty, the same on every verb.
#pragma once

#include <string>
#include <vector>

#include "workspace/runs/selection.hpp"

namespace CLI {

// How the plan folder that a verb is about is named on the command line.

class App;
}  // namespace CLI

namespace dlscale::cli {

/// Declares the folder as the verb's first argument. `folder` must outlive the parsing.
void add_folder_argument(CLI::App& app, std::string& folder,
                         const char* description = "plan folder (default: the current one)");

/// In a plan folder its name may be left out: a first word that is no folder is a run then.
void allow_runs_alone(std::string& folder, std::vector<std::string>& runs);

}  // namespace dlscale::cli

namespace CLI {

// --state: the option that chooses runs by how far they are, the same on every verb.

class App;
}  // namespace CLI

namespace dlscale::cli {

/// Declares --state. `choice` must outlive the parsing.
void add_state_option(CLI::App& app, workspace::StateChoice& choice,
                      const std::string& description);

}  // namespace dlscale::cli

namespace CLI {

// --run, --where and --allow-empty: the options that select runs of a plan, the same on every verb.

class App;
}  // namespace CLI

namespace dlscale::cli {

/// How runs are named beside --run.
enum class RunArguments { none, positional };

/// Declares --run, --where and --allow-empty; with RunArguments::positional ids and globs may also
/// follow the arguments declared before. `choice` must outlive the parsing.
void add_selection_options(CLI::App& app, workspace::SelectionChoice& choice,
                           RunArguments arguments);

}  // namespace dlscale::cli
