// SPDX-License-Identifier: Apache-2.0
// `dlscale status`: how far the runs of a plan folder are, once or as a live table.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/plan_folder_options.hpp"
#include "cli/run_columns.hpp"
#include "cli/selection.hpp"
#include "cli/selection_options.hpp"
#include "cli/state_choice.hpp"
#include "cli/state_options.hpp"
#include "cli/status_reader.hpp"
#include "cli/status_view.hpp"
#include "cli/terminal.hpp"
#include "cli/time_left.hpp"
#include "contract/view_records.hpp"
#include "runner/unreachable.hpp"

namespace dlscale::cli {
namespace {

constexpr double kInterval_s = 5;
/// Batch systems serve many: a live table asks them no more often than this.
constexpr double kStatusPatience_s = 15;
/// Rows that nobody asked for by name and that a screen still holds.
constexpr std::size_t kFewRows = 40;

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

class Status {
 public:
  explicit Status(const StatusOptions& options)
      : options_(options),
        plan_(contract::read_plan(contract::PlanDir(std::filesystem::path(options.folder)))),
        folder_(std::filesystem::canonical(options.folder)),
        reader_(plan_, folder_, clock_),
        terminal_(terminal_of(STDOUT_FILENO)) {
    states_of(options.states);  // refuses words that are no states
    selected_ = select_runs(plan_, options.selection);
  }

  int once() {
    look();
    choose_by_state();
    std::vector<ShownRun> runs = reader_.runs(chosen_);
    if (options_.json || options_.csv) {
      reader_.add_progress(runs);
      std::cout << (options_.json ? as_json(runs) : as_csv(runs));
      return exit_code();
    }
    std::vector<ShownRun> shown = all_rows(runs) ? runs : worth_a_look(runs);
    reader_.add_progress(shown);
    print_block(runs, shown);
    return exit_code();
  }

  int watch() {
    const StopSignals signals;
    look();
    choose_by_state();
    return terminal_.is_tty ? watch_screen(signals) : watch_blocks(signals);
  }

 private:
  void look() {
    if (options_.offline) return reader_.look_at_files();
    const double now_s = clock_.steady_s();
    const double patience_s = plan_.scheduler == "local" ? 0 : kStatusPatience_s;
    if (asked_s_ && now_s - *asked_s_ < patience_s) return reader_.look_at_files_again();
    asked_s_ = now_s;
    problem_.clear();
    try {
      reader_.ask();
    } catch (const runner::Unreachable& error) {
      problem_ = error.what();
      reader_.look_at_files();
    }
  }

  /// What the files say is shown all the same.
  int exit_code() const {
    if (problem_.empty()) return kExitOk;
    fmt::print(stderr, "dlscale: {}; this is what the files say\n", problem_);
    return kExitSchedulerUnreachable;
  }

  /// Once: rows do not come and go while they are watched.
  void choose_by_state() {
    if (options_.states.narrows()) {
      selected_ = keep_states(std::move(selected_), options_.states, reader_.states(),
                              options_.selection.allow_empty);
    }
    for (const contract::PlannedRun& run : plan_.runs) {
      if (selected_.contains(run.run_id)) chosen_.push_back(&run);
    }
  }

  /// People at a terminal want to see what needs them; programs, and who asked for some, all.
  bool all_rows(const std::vector<ShownRun>& runs) const {
    return options_.all || !terminal_.is_tty || runs.size() <= kFewRows ||
           options_.selection.narrows() || options_.states.narrows();
  }

  void print_block(const std::vector<ShownRun>& runs, const std::vector<ShownRun>& shown) {
    std::cout << count_states(runs);
    if (!shown.empty()) std::cout << "\n";
    if (!shown.empty()) print(table_lines(shown, terminal_, false));
    const std::string others = count_others(runs, shown);
    if (!others.empty()) std::cout << others << "; --all lists them\n";
  }

  static void print(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) std::cout << line << "\n";
  }

  WatchHead head() const {
    std::string title = plan_.study + (plan_.site.empty() ? "" : " on " + plan_.site);
    if (!problem_.empty()) title += " (" + problem_ + ")";
    return {title, clock_.unix_s(), reader_.first_start_s()};
  }

  std::vector<ShownRun> runs_now() {
    std::vector<ShownRun> runs = reader_.runs(chosen_);
    reader_.add_progress(runs);
    return runs;
  }

  static bool all_ended(const std::vector<ShownRun>& runs) {
    return std::all_of(runs.begin(), runs.end(),
                       [](const ShownRun& shown) { return runner::has_ended(shown.state); });
  }

  /// Until the next look is due; earlier when asked to stop or when the terminal has another size.
  void pause(const StopSignals& signals) {
    constexpr auto kStep = std::chrono::milliseconds(100);
    const double until_s = clock_.steady_s() + options_.interval_s;
    while (signals.count() == 0 && clock_.steady_s() < until_s) {
      std::this_thread::sleep_for(kStep);
      const Terminal now = terminal_of(STDOUT_FILENO);
      if (now.columns != terminal_.columns || now.rows != terminal_.rows) return;
    }
  }

  int watch_screen(const StopSignals& signals) {
    std::vector<ShownRun> runs;
    {
      LiveScreen screen(std::cout);
      for (;;) {
        terminal_ = terminal_of(STDOUT_FILENO);
        runs = runs_now();
        screen.draw(screen_lines(head(), runs, terminal_));
        if (all_ended(runs)) break;
        pause(signals);
        if (signals.count() > 0) break;
        look();
      }
    }
    print(screen_lines(head(), runs, terminal_));  // what was seen last stays to be read
    return signals.count() > 0 ? kExitInterrupted : kExitOk;
  }

  int watch_blocks(const StopSignals& signals) {
    for (;;) {
      const std::vector<ShownRun> runs = runs_now();
      print(head_lines(head(), runs, terminal_));
      print(table_lines(runs, terminal_, false));
      std::cout << std::endl;
      if (all_ended(runs) || !std::cout.good()) return kExitOk;
      pause(signals);
      if (signals.count() > 0) return kExitInterrupted;
      look();
    }
  }

  std::string as_json(const std::vector<ShownRun>& runs) const {
    contract::StatusReport report{plan_.study, clock_.unix_s(), {}, 0, time_left(runs), {}};
    for (const ShownRun& shown : runs) {
      ++report.counts[to_string(shown.state)];
      report.stale += shown.run->stale ? 1 : 0;
      report.runs.push_back(record_of(shown));
    }
    return to_json(report);
  }

  std::string as_csv(const std::vector<ShownRun>& runs) const {
    std::vector<RunColumn> columns = plan_columns(plan_);
    for (RunColumn& column : progress_csv_columns()) columns.push_back(std::move(column));
    return runs_as_csv(runs, columns);
  }

  const StatusOptions& options_;
  const base::SystemClock clock_;
  const contract::Plan plan_;
  const contract::PlanDir folder_;  ///< absolute: batch systems know jobs by their scripts
  StatusReader reader_;
  Terminal terminal_;
  std::optional<double> asked_s_;  ///< steady time
  std::string problem_;            ///< why the batch system did not say anything
  RunIds selected_;
  std::vector<const contract::PlannedRun*> chosen_;
};

int status(const StatusOptions& options) {
  Status status(options);
  return options.watch ? status.watch() : status.once();
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
