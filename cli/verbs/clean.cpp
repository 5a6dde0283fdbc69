// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale clean`, which lists the files of a plan folder and deletes the requested
// kinds of files.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/runs/cleaning.hpp"
#include "workspace/runs/inventory.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// Maximum number of paths to print for each kind of files.
constexpr std::size_t kShownPaths = 10;

struct CleanOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  workspace::StateChoice states;
  std::vector<std::string> what;
  bool yes = false;
};

std::vector<std::string> row_of(const std::string& name, const workspace::Size& size) {
  return {name, std::to_string(size.inodes), workspace::size_text(size.bytes)};
}

std::string print_inventory(const contract::PlanDir& folder, const runner::States& states) {
  const std::vector<workspace::Size> sizes = workspace::inventory(folder, states);
  std::vector<std::vector<std::string>> rows;
  workspace::Size total;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    total += sizes[i];
    rows.push_back(row_of(workspace::file_kinds()[i].name, sizes[i]));
    rows.back().emplace_back(workspace::file_kinds()[i].holds);
  }
  rows.push_back(row_of("total", total));
  rows.back().emplace_back();
  return base::print_table({"kind", "inodes", "size", "holds"}, rows);
}

/// Returns lines with the first paths and the total size of each kind of files.
std::string print_targets(const std::vector<workspace::CleanTarget>& targets) {
  std::string text;
  std::vector<std::vector<std::string>> rows;
  workspace::Size total;
  for (const workspace::TargetsOfKind& group : workspace::by_kind(targets)) {
    const std::size_t count = group.targets.size();
    for (std::size_t i = 0; i < std::min(count, kShownPaths); ++i) {
      const workspace::CleanTarget& target = *group.targets[i];
      text += fmt::format("{}{}\n", target.path.string(), target.is_link ? " (the link)" : "");
    }
    if (count > kShownPaths)
      text += fmt::format("… and {} more {}\n", count - kShownPaths, group.kind);
    total += group.size;
    rows.push_back(row_of(group.kind, group.size));
  }
  rows.push_back(row_of("total", total));
  return text + "\n" + base::print_table({"kind", "inodes", "size"}, rows);
}

int clean_kinds(const CleanOptions& options, const contract::Plan& plan,
                const contract::PlanDir& folder, const runner::States& states) {
  const workspace::RunIds runs =
      workspace::keep_states(workspace::select_runs(plan, options.selection), options.states,
                             states, options.selection.allow_empty);
  const workspace::CleanChoice choice{workspace::cleanable_kinds(options.what), runs, states,
                                      options.states.narrows()};
  const std::vector<workspace::CleanTarget> targets =
      workspace::clean_targets(plan, folder, choice);
  if (targets.empty()) {
    std::cout << fmt::format("no {} to delete\n", fmt::join(options.what, ", "));
    return options.selection.allow_empty ? kExitOk : kExitNothingMatched;
  }
  std::cout << print_targets(targets);
  if (!options.yes) {
    std::cout << "nothing has been deleted; add --yes to delete these files\n";
    return kExitOk;
  }
  std::cout.flush();
  workspace::delete_targets(targets, choice, folder);
  std::cout << "deleted\n";
  return kExitOk;
}

int clean(const CleanOptions& options) {
  const contract::PlanDir folder{fs::path(options.folder)};
  const contract::Plan plan = contract::read_plan(folder);
  workspace::cleanable_kinds(options.what);
  workspace::states_of(options.states);
  const runner::States states = runner::run_states(plan, folder);
  if (!options.what.empty()) return clean_kinds(options, plan, folder, states);
  if (options.yes || options.selection.narrows() || options.states.narrows()) {
    throw base::UsageError(fmt::format("--what is missing: give one or more of {}",
                                       fmt::join(workspace::cleanable_names(), ", ")));
  }
  std::cout << print_inventory(folder, states);
  return kExitOk;
}

Action define_clean(CLI::App& app) {
  const auto options = std::make_shared<CleanOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states,
                   ". With --state, checkpoints from which unfinished runs would resume are "
                   "selected as well");
  app.add_option("--what", options->what,
                 "kinds of files to delete, separated by commas (default: list every kind)")
      ->type_name(one_of(workspace::cleanable_names()))
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_flag("--yes", options->yes, "delete the files (default: only list them)");
  return [options] { return clean(*options); };
}

}  // namespace

extern const CommandEntry clean_entry;
const CommandEntry clean_entry{
    .name = "clean",
    .summary = "Show files and bytes in a plan folder, and delete checkpoints, logs or other kinds",
    .example =
        "dlscale clean study\n"
        "  dlscale clean study --what checkpoints,logs          # lists\n"
        "  dlscale clean study --what launches --state failed --yes",
    .define = &define_clean,
};

}  // namespace dlscale::cli
