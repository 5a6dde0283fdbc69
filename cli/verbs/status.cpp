// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale status`, which shows the states of the runs of a plan folder, once or as a
// live table.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
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
/// Maximum time in seconds for which `status --watch --page` tries to complete the page after the
/// end of the last run.
constexpr double kLateResults_s = 30;
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

/// Writes the page at each update of `status --watch`. A page that cannot be written does not end
/// the watch, because the next update may succeed.
class PageUpdates {
 public:
  PageUpdates(workspace::StatusPage& page, workspace::FolderStatus& status)
      : page_(page), status_(status) {}

  /// Writes the page. Prints the reason of a failure, unless the previous update failed, too.
  void write(const std::vector<workspace::ShownRun>& runs) {
    try {
      page_.write(status_, runs);
      exit_code_ = kExitOk;
    } catch (const base::RunError& error) {
      // The updates until the next success usually fail for the same reason.
      if (exit_code_ == kExitOk) report(error.what());
      exit_code_ = error.exit_code();
    }
  }

  /// Writes the page again after all runs have ended, until the page contains all results. Gives up
  /// after kLateResults_s, with a warning, or after a signal. Returns kExitOk if the last update
  /// wrote the page, and the exit code of the error otherwise.
  int finish(const PlannedRuns& chosen, double interval_s, const StopSignals& signals) {
    const base::SystemClock clock;
    const double until_s = clock.steady_s() + kLateResults_s;
    const double pause_s = std::min(interval_s, kInterval_s);
    double next_s = clock.steady_s() + pause_s;
    bool has_announced = false;
    while (!is_complete() && clock.steady_s() < until_s && signals.count() == 0) {
      if (!has_announced) {
        std::cerr << fmt::format("waiting up to {} until {} contains the results of all runs\n",
                                 base::duration(kLateResults_s), page_.file().string());
        has_announced = true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (clock.steady_s() < next_s) continue;
      next_s = clock.steady_s() + pause_s;
      status_.update();
      std::vector<workspace::ShownRun> runs = status_.runs(chosen);
      status_.add_progress(runs);
      write(runs);
    }
    if (exit_code_ == kExitOk && !is_complete() && signals.count() == 0) {
      std::cerr << fmt::format(
          "warning: after {} of waiting, {} does not contain the results of all runs. {}\n",
          base::duration(kLateResults_s), page_.file().string(), page_.missing_results());
    }
    return exit_code_;
  }

  /// Prints the reasons that the live table would have hidden.
  void print_held_back() {
    has_table_ = false;
    for (const std::string& reason : held_back_) report(reason);
    held_back_.clear();
  }

 private:
  bool is_complete() const { return exit_code_ == kExitOk && page_.missing_results().empty(); }

  void report(const std::string& reason) {
    if (has_table_) {
      held_back_.push_back(reason);
    } else {
      std::cerr << fmt::format("warning: {}; the next update writes the page again\n", reason);
    }
  }

  workspace::StatusPage& page_;
  workspace::FolderStatus& status_;
  int exit_code_ = kExitOk;  ///< kExitOk, or the exit code of the error of the last update
  /// True while the terminal shows a live table, which overwrites other lines.
  bool has_table_ = terminal_of(STDOUT_FILENO).is_tty && ::isatty(STDERR_FILENO) == 1;
  std::vector<std::string> held_back_;  ///< reasons to print after the live table
};

/// Shows the live table and writes the page at each update. Returns the exit code.
int watch_with_page(const StatusOptions& options, workspace::FolderStatus& status,
                    const PlannedRuns& chosen, const StopSignals& signals,
                    workspace::StatusPage& page) {
  PageUpdates updates(page, status);
  const int watched = watch_status(status, chosen, options.interval_s, signals,
                                   [&](const auto& runs) { updates.write(runs); });
  updates.print_held_back();
  if (watched != kExitOk) return watched;
  const int finished = updates.finish(chosen, options.interval_s, signals);
  return signals.count() > 0 ? kExitInterrupted : finished;
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
  if (page) return watch_with_page(options, status, chosen, *signals, *page);
  return watch_status(status, chosen, options.interval_s, *signals);
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
