// SPDX-License-Identifier: Apache-2.0
// How the plan folder that a verb is about is named on the command line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares the folder as the verb's first argument. `folder` must outlive the parsing.
void add_folder_argument(CLI::App& app, std::string& folder,
                         const char* description = "plan folder (default: the current one)");

/// In a plan folder its name may be left out: a first word that is no folder is a run then.
void allow_runs_alone(std::string& folder, std::vector<std::string>& runs);

}  // namespace dlscale::cli
