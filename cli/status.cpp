// SPDX-License-Identifier: Apache-2.0
// `dlscale status`: how far the runs of a plan folder are, once or as a live table.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/folder_status.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_folder_options.hpp"
#include "cli/run_columns.hpp"
#include "cli/selection.hpp"
#include "cli/selection_options.hpp"
#include "cli/state_choice.hpp"
#include "cli/state_options.hpp"
#include "cli/status_view.hpp"
#include "cli/status_watch.hpp"
#include "cli/terminal.hpp"
#include "contract/view_records.hpp"

namespace dlscale::cli {
namespace {

constexpr double kInterval_s = 5;
/// Rows that nobody asked for by name and that a screen still holds.
constexpr std::size_t kFewRows = 40;

using PlannedRuns = std::vector<const contract::PlannedRun*>;

struct StatusOptions {
  std::string folder = ".";
  SelectionChoice selection;
  StateChoice states;
  bool json = false;
  bool csv = false;
  bool all = false;
  bool offline = false;
  bool watch = false;
  double interval_s = kInterval_s;
};

/// What the files say is shown all the same.
int exit_code_of(const FolderStatus& status) {
  if (status.problem().empty()) return kExitOk;
  fmt::print(stderr, "dlscale: {}; this is what the files say\n", status.problem());
  return kExitSchedulerUnreachable;
}

std::string as_csv(const FolderStatus& status, const std::vector<ShownRun>& runs) {
  std::vector<RunColumn> columns = plan_columns(status.plan());
  for (RunColumn& column : progress_csv_columns()) columns.push_back(std::move(column));
  return runs_as_csv(runs, columns);
}

/// People at a terminal want to see what needs them; programs, and who asked for some, all.
bool shows_all_rows(const StatusOptions& options, std::size_t runs, const Terminal& terminal) {
  return options.all || !terminal.is_tty || runs <= kFewRows || options.selection.narrows() ||
         options.states.narrows();
}

int show_once(const StatusOptions& options, FolderStatus& status, const PlannedRuns& chosen) {
  std::vector<ShownRun> runs = status.runs(chosen);
  if (options.json || options.csv) {
    status.add_progress(runs);
    std::cout << (options.json ? to_json(report_of(status, runs)) : as_csv(status, runs));
    return exit_code_of(status);
  }
  const Terminal terminal = terminal_of(STDOUT_FILENO);
  const bool all = shows_all_rows(options, runs.size(), terminal);
  std::vector<ShownRun> shown = all ? runs : worth_a_look(runs);
  status.add_progress(shown);
  std::cout << count_states(runs);
  if (!shown.empty()) std::cout << "\n";
  if (!shown.empty()) print_lines(table_lines(shown, terminal, false), std::cout);
  const std::string others = count_others(runs, shown);
  if (!others.empty()) std::cout << others << "; --all lists them\n";
  return exit_code_of(status);
}

/// Once: rows do not come and go while they are watched.
PlannedRuns choose(const StatusOptions& options, const FolderStatus& status, RunIds selected) {
  selected = keep_states(std::move(selected), options.states, status.states(),
                         options.selection.allow_empty);
  PlannedRuns chosen;
  for (const contract::PlannedRun& run : status.plan().runs) {
    if (selected.contains(run.run_id)) chosen.push_back(&run);
  }
  return chosen;
}

int status(const StatusOptions& options) {
  FolderStatus status(options.folder, options.offline);
  states_of(options.states);  // refuses words that are no states
  RunIds selected = select_runs(status.plan(), options.selection);
  std::optional<StopSignals> signals;
  if (options.watch) signals.emplace();
  status.update();
  const PlannedRuns chosen = choose(options, status, std::move(selected));
  return options.watch ? watch_status(status, chosen, options.interval_s, *signals)
                       : show_once(options, status, chosen);
}

Action define_status(CLI::App& app) {
  const auto options = std::make_shared<StatusOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states, "only runs in one of these states, parted by commas");
  CLI::Option* watch = app.add_flag("--watch,-w", options->watch,
                                    "a live table, until all runs have ended or Ctrl-C");
  app.add_option("-n,--interval", options->interval_s, "--watch: seconds between two looks")
      ->check(CLI::Range(0.1, 86400.0))
      ->needs(watch)
      ->capture_default_str();
  app.add_flag("--all", options->all,
               "a line for each run; without it a terminal shows those that run or went wrong "
               "when they are many");
  app.add_flag("--offline", options->offline,
               "do not ask the batch system: what the files in the folder say");
  CLI::Option* json = app.add_flag("--json", options->json, "an object")->excludes(watch);
  app.add_flag("--csv", options->csv, "all columns as CSV")->excludes(watch)->excludes(json);
  return [options] {
    allow_runs_alone(options->folder, options->selection.runs);
    return status(*options);
  };
}

}  // namespace

extern const CommandEntry status_entry;
const CommandEntry status_entry{
    .name = "status",
    .summary = "Show how far runs are, where they run and why they ended; --watch live",
    .example =
        "dlscale status study\n"
        "  dlscale status study --watch -n 2\n"
        "  dlscale status study --state failed,oom,timeout --csv",
    .define = &define_status,
};

}  // namespace dlscale::cli
