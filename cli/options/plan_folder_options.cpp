// SPDX-License-Identifier: Apache-2.0
#include "cli/options/plan_folder_options.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "cli/options/completer.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;

void add_folder_argument(CLI::App& app, std::string& folder, const char* description) {
  app.add_option("DIR", folder, description)->type_name(value_kind::kFolder);
}

void allow_runs_alone(std::string& folder, std::vector<std::string>& runs) {
  std::error_code unreadable;
  if (fs::exists(folder, unreadable)) return;
  if (!fs::exists(contract::PlanDir(fs::path(".")).plan_json(), unreadable)) return;
  runs.insert(runs.begin(), folder);
  folder = ".";
}

}  // namespace dlscale::cli
