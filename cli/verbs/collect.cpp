// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale collect`, which reads results into the database and writes tables.
#include "cli/options/chosen_study_options.hpp"
#include "cli/options/collect_logs_options.hpp"
#include "workspace/collect/collect_steps.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "workspace/collect/collect_logs.hpp"

namespace dlscale::cli {
namespace {

/// Returns the exit code for several folders. It is kExitRunsFailed if runs failed in any folder,
/// and kExitNothingMatched if no folder had anything to collect.
int combine(const std::vector<int>& codes) {
  if (std::count(codes.begin(), codes.end(), kExitRunsFailed) > 0) return kExitRunsFailed;
  const auto empty = std::count(codes.begin(), codes.end(), kExitNothingMatched);
  return empty == static_cast<std::ptrdiff_t>(codes.size()) ? kExitNothingMatched : kExitOk;
}

Action define_collect(CLI::App& app) {
  struct CollectOptions {
    std::vector<std::string> names;
    workspace::LogOptions logs;
    bool rebuild = false;
    bool no_tables = false;
    bool figures = false;
    workspace::SelectionChoice runs;
    double min_efficiency = analysis::kWorthwhileEfficiency;
  };
  const auto options = std::make_shared<CollectOptions>();
  app.add_option("DIR", options->names,
                 "plan folders (default: the current folder). With -o: logs and folders of logs")
      ->type_name(value_kind::kFile);
  add_log_options(app, options->logs);
  app.add_flag("--rebuild", options->rebuild, "rebuild results.sqlite from all files");
  app.add_flag("--no-tables", options->no_tables, "do not print or write tables");
  app.add_flag("--figures", options->figures, "also draw all figures into figures/");
  add_efficiency_option(app, options->min_efficiency);
  add_selection_options(app, options->runs, RunArguments::none);
  return [options] {
    check_log_options(options->logs);
    workspace::check_min_efficiency(options->min_efficiency);
    std::vector<std::string> folders = options->names;
    std::vector<int> codes;
    if (!options->logs.folder.empty()) {
      const bool is_complete =
          workspace::import_and_report(options->logs, options->names, std::cout);
      if (!is_complete) codes.push_back(kExitRunsFailed);
      folders = {options->logs.folder};
    } else if (folders.empty()) {
      folders = {"."};
    }
    for (const std::string& folder : folders) {
      codes.push_back(
          workspace::collect_and_report({folder, options->rebuild, !options->no_tables,
                                         options->figures, options->runs, options->min_efficiency},
                                        std::cout));
    }
    return combine(codes);
  };
}

}  // namespace

extern const CommandEntry collect_entry;
const CommandEntry collect_entry{
    "collect", "Collect results into results.sqlite and write the tables",
    "dlscale collect demo --rebuild --figures\n"
    "  dlscale collect results -o demo --axis 'gpus=gpus(\\d+)'    # logs of other programs\n"
    "  dlscale collect demo --where 'model == \"mlp\"'    # tables of these runs",
    &define_collect};

}  // namespace dlscale::cli
