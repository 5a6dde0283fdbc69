// SPDX-License-Identifier: Apache-2.0
#include "cli/options/selection_options.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>

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

void add_state_option(CLI::App& app, workspace::StateChoice& choice, const std::string& addition) {
  app.add_option("--state", choice.words,
                 "select runs by their state; separate several states by commas" + addition)
      ->type_name(one_of(workspace::state_names()))
      ->delimiter(',')
      ->allow_extra_args(false);
}

namespace {

/// Returns an error for an empty condition. An empty condition, for example from an unset shell
/// variable, would select all runs.
std::string complaint_of_condition(const std::string& text) {
  return text.find_first_not_of(" \t\n") == std::string::npos ? "the condition is empty" : "";
}

}  // namespace

void add_selection_options(CLI::App& app, workspace::SelectionChoice& choice,
                           RunArguments arguments) {
  const bool positional = arguments == RunArguments::positional;
  app.add_option(positional ? "--run,RUN" : "--run", choice.runs,
                 "run id, or a glob such as 'ddp-*-r1' (repeatable)")
      ->type_name(value_kind::kRun)
      ->allow_extra_args(false);
  app.add_option("--where", choice.where,
                 "select runs by a condition such as 'gpus >= 8 && model == \"resnet50\"'. Names: "
                 "axes of the study, settings common to all runs, gpus, batch_per_gpu, "
                 "global_batch, repetition and substudy")
      ->type_name("CONDITION")
      ->check(&complaint_of_condition);
  app.add_flag("--allow-empty", choice.allow_empty,
               "succeed when no run matches (default: exit code 3)");
}

}  // namespace dlscale::cli
