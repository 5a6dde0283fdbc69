// SPDX-License-Identifier: Apache-2.0
// The plan folder that a verb is about: how it is named, read and made.
#pragma once

#include <string>
#include <vector>

#include "contract/run_dir.hpp"
#include "contract/run_spec.hpp"
#include "contract/run_table.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares the folder as the verb's first argument. `folder` must outlive the parsing.
void add_folder_argument(CLI::App& app, std::string& folder,
                         const char* description = "plan folder (default: the current one)");

/// In a plan folder its name may be left out: a first word that is no folder is a run then.
void allow_runs_alone(std::string& folder, std::vector<std::string>& runs);

/// The run's complete description: its run.json, or its line in the table of an array whose task
/// has not started yet. Throws base::Error when it can be read nowhere.
contract::RunSpec read_run(const contract::PlanDir& folder, contract::RunTables& tables,
                           const std::string& run_id);

/// Throws base::UsageError when the folder, or where it is to be made, is no folder that may be
/// written.
void require_writable(const contract::PlanDir& folder);

/// Makes the folder itself. Throws base::UsageError.
void make_folder(const contract::PlanDir& folder);

}  // namespace dlscale::cli
