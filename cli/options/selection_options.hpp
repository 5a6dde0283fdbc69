// SPDX-License-Identifier: Apache-2.0
// Declares the options that select a plan folder and its runs: --run, --where, --state and
// --allow-empty. They are the same for all sub-commands.
#pragma once

#include <string>
#include <vector>

#include "workspace/runs/selection.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

// The following functions handle the argument for the plan folder.

/// Declares the plan folder as the first argument of a sub-command. `folder` must outlive the
/// parsing of the command line.
void add_folder_argument(CLI::App& app, std::string& folder,
                         const char* description = "plan folder (default: the current folder)");

/// Allows the user to omit the plan folder if the current folder is a plan folder. If the path in
/// `folder` does not exist, its text is moved to `runs` as the name of a run, and `folder` is set
/// to the current folder.
void allow_runs_alone(std::string& folder, std::vector<std::string>& runs);

// The following function declares --state, which selects runs by their state.

/// Declares --state. `choice` must outlive the parsing of the command line. `addition` is appended
/// to the description.
void add_state_option(CLI::App& app, workspace::StateChoice& choice,
                      const std::string& addition = "");

// The following function declares --run, --where and --allow-empty, which select runs of a plan.

/// Selects whether runs can also be named as arguments without --run.
enum class RunArguments { none, positional };

/// Declares --run, --where and --allow-empty. With RunArguments::positional, ids and globs can also
/// follow the arguments that were declared before. `choice` must outlive the parsing of the command
/// line.
void add_selection_options(CLI::App& app, workspace::SelectionChoice& choice,
                           RunArguments arguments);

}  // namespace dlscale::cli
