// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale status`, which shows the states of the runs of a plan folder, once or as a
// live table.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/terminal/signals.hpp"
#include "cli/terminal/status_view.hpp"
#include "cli/terminal/terminal.hpp"
#include "contract/records/view_records.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/status/folder_status.hpp"
#include "workspace/status_page.hpp"

namespace dlscale::cli {
namespace {

constexpr double kInterval_s = 5;
/// Seconds after which a browser loads the page again if `status` runs without --watch. The user
/// may then run `status` repeatedly, for example with cron.
constexpr int kRefresh_s = 30;
/// Maximum number of rows on a terminal if the user selected no runs.
constexpr std::size_t kFewRows = 40;

using PlannedRuns = std::vector<const contract::PlannedRun*>;

struct StatusOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  workspace::StateChoice states;
  bool json = false;
  bool csv = false;
  bool all = false;
  bool offline = false;
  bool watch = false;
  double interval_s = kInterval_s;
  std::optional<std::string> page;  ///< folder of the HTML page
};

/// Returns the exit code. If the scheduler did not answer, prints the reason. The shown states then
/// come from the files.
int exit_code_of(const workspace::FolderStatus& status) {
  if (status.problem().empty()) return kExitOk;
  fmt::print(stderr, "dlscale: {}; the states shown come from the files of the plan folder\n",
             status.problem());
  return kExitSchedulerUnreachable;
}

/// Returns whether all runs are shown. On a terminal, only running and failed runs are shown if
/// there are many runs and the user selected none of them.
bool shows_all_rows(const StatusOptions& options, std::size_t runs, const Terminal& terminal) {
  return options.all || !terminal.is_tty || runs <= kFewRows || options.selection.narrows() ||
         options.states.narrows();
}

int show_once(const StatusOptions& options, workspace::FolderStatus& status,
              const PlannedRuns& chosen, workspace::StatusPage* page) {
  std::vector<workspace::ShownRun> runs = status.runs(chosen);
  if (options.json || options.csv || page != nullptr) status.add_progress(runs);
  if (page != nullptr) page->write(status, runs);
  if (options.json || options.csv) {
    std::cout << (options.json ? to_json(workspace::report_of(status, runs))
                               : workspace::csv_of(status, runs));
    return exit_code_of(status);
  }
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const bool all = shows_all_rows(options, runs.size(), terminal);
  std::vector<workspace::ShownRun> shown = all ? runs : worth_a_look(runs);
  if (page == nullptr) status.add_progress(shown);
  std::cout << workspace::count_states(runs);
  if (!shown.empty()) std::cout << "\n";
  if (!shown.empty()) print_lines(table_lines(shown, terminal, false), std::cout);
  const std::string others = count_others(runs, shown);
  if (!others.empty()) std::cout << others << "; --all lists them\n";
  for (const std::string& warning : status.warnings(runs)) {
    std::cout << fmt::format("warning: {}\n", warning);
  }
  if (page != nullptr) std::cout << fmt::format("wrote {}\n", page->file().string());
  return exit_code_of(status);
}

/// Returns the runs to show. The runs are selected only once, so that rows do not appear and
/// disappear during --watch.
PlannedRuns choose(const StatusOptions& options, const workspace::FolderStatus& status,
                   workspace::RunIds selected) {
  selected = workspace::keep_states(std::move(selected), options.states, status.states(),
                                    options.selection.allow_empty);
  return workspace::runs_with(status.plan(), selected);
}

/// Returns the seconds after which a browser loads the page again.
int refresh_of(const StatusOptions& options) {
  return options.watch ? std::max(1, static_cast<int>(std::ceil(options.interval_s))) : kRefresh_s;
}

int status(const StatusOptions& options) {
  workspace::FolderStatus status(options.folder, options.offline);
  // This call reports unknown states before the scheduler is queried.
  workspace::states_of(options.states);
  workspace::RunIds selected = workspace::select_runs(status.plan(), options.selection);
  std::optional<workspace::StatusPage> page;
  if (options.page) page.emplace(*options.page, status.folder(), refresh_of(options));
  std::optional<StopSignals> signals;
  if (options.watch) signals.emplace();
  status.update();
  const PlannedRuns chosen = choose(options, status, std::move(selected));
  if (!options.watch) return show_once(options, status, chosen, page ? &*page : nullptr);
  OnUpdate on_update;
  if (page) {
    on_update = [&](const std::vector<workspace::ShownRun>& runs) { page->write(status, runs); };
  }
  return watch_status(status, chosen, options.interval_s, *signals, on_update);
}

Action define_status(CLI::App& app) {
  const auto options = std::make_shared<StatusOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states);
  CLI::Option* watch =
      app.add_flag("--watch,-w", options->watch,
                   "show a live table until all runs have ended or you press Ctrl-C");
  app.add_option("-n,--interval", options->interval_s, "seconds between two updates of --watch")
      ->check(CLI::Range(0.1, 86400.0))
      ->needs(watch)
      ->capture_default_str();
  app.add_flag(
      "--all", options->all,
      "print a line for every run (default on a terminal if there are many runs: only running and "
      "failed runs)");
  app.add_flag("--offline", options->offline,
               "use only the files in the folder, without a query of the scheduler");
  app.add_option("--page", options->page,
                 "write index.html to this folder: a page for a web server with states, progress, "
                 "first results and the expected end. With --watch, each update replaces the page")
      ->type_name(value_kind::kFolder);
  CLI::Option* json = app.add_flag("--json", options->json, "print a JSON object")->excludes(watch);
  app.add_flag("--csv", options->csv, "print all columns as CSV")->excludes(watch)->excludes(json);
  return [options] {
    allow_runs_alone(options->folder, options->selection.runs);
    return status(*options);
  };
}

}  // namespace

extern const CommandEntry status_entry;
const CommandEntry status_entry{
    .name = "status",
    .summary = "Show state, progress, nodes and failure reasons of runs (live with --watch)",
    .example =
        "dlscale status study\n"
        "  dlscale status study --watch -n 2\n"
        "  dlscale status study --watch --page ~/public_html/study\n"
        "  dlscale status study --state failed,oom,timeout --csv",
    .define = &define_status,
};

}  // namespace dlscale::cli
