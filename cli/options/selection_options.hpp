// SPDX-License-Identifier: Apache-2.0
// Declares the options that select a plan folder and its runs, which are equal for all verbs:
// --run, --where, --state and --allow-empty.
#pragma once

#include <string>
#include <vector>

#include "workspace/runs/selection.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

// Argument for the plan folder.

/// Declares the folder as the first argument of the verb. `folder` must outlive the parsing.
void add_folder_argument(CLI::App& app, std::string& folder,
                         const char* description = "plan folder (default: the current folder)");

/// The folder may be omitted if the current folder is a plan folder. A first word that is not a
/// folder then names a run.
void allow_runs_alone(std::string& folder, std::vector<std::string>& runs);

// Option --state, which selects runs by their state.

/// Declares --state. `choice` must outlive the parsing.
void add_state_option(CLI::App& app, workspace::StateChoice& choice,
                      const std::string& description);

// Options --run, --where and --allow-empty, which select runs of a plan.

/// Whether runs can also be named as positional arguments.
enum class RunArguments { none, positional };

/// Declares --run, --where and --allow-empty. With RunArguments::positional, ids and globs may also
/// follow the arguments declared before. `choice` must outlive the parsing.
void add_selection_options(CLI::App& app, workspace::SelectionChoice& choice,
                           RunArguments arguments);

}  // namespace dlscale::cli
