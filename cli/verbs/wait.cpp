// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale wait`, which follows submitted runs until they have ended.
#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <thread>

#include "cli/command.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/submit_options.hpp"
#include "cli/options/verb_report_options.hpp"
#include "cli/terminal/launch_view.hpp"
#include "cli/terminal/signals.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/status/verb_report.hpp"
#include "workspace/submitting.hpp"

namespace dlscale::cli {
namespace {

struct WaitOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  double poll_s = 0;
  bool json = false;
};

/// Waits while another dlscale process holds the launch log. Returns true if that process has
/// recorded the ends of all runs, or if it has ended and this process now holds the log. Returns
/// false if the user interrupts.
bool wait_for_the_other(const workspace::LaunchFolder& place, const workspace::RunIds& selected,
                        std::unique_ptr<runner::LaunchLog>& log) {
  constexpr auto kPause = std::chrono::milliseconds(500);
  place.words << "another dlscale process follows these runs; waiting until it records their ends\n"
              << std::flush;
  const StopSignals signals;
  const auto all_have_ended = [&] {
    return workspace::ended_runs(place, selected).size() == selected.size();
  };
  while (!log && signals.count() == 0 && !all_have_ended()) {
    std::this_thread::sleep_for(kPause);
    log = workspace::open_log_if_free(place);
  }
  return signals.count() == 0;
}

/// Follows jobs for a user without write access to the folder. Does not record the ends of runs.
int watch_only(const workspace::LaunchFolder& place, const workspace::RunIds& selected,
               double poll_s) {
  constexpr double kPoll_s = 10;
  constexpr auto kStep = std::chrono::milliseconds(100);
  place.words << "the folder cannot be written: the ends of runs are shown but not recorded\n"
              << std::flush;
  const StopSignals signals;
  workspace::AskedStates now;
  for (bool open = true; open;) {
    now = workspace::ask_states(place);
    open = any_is_open(now, selected);
    const double until_s = place.clock.steady_s() + (poll_s > 0 ? poll_s : kPoll_s);
    while (open && signals.count() == 0 && place.clock.steady_s() < until_s) {
      std::this_thread::sleep_for(kStep);
    }
    if (signals.count() > 0) return kExitInterrupted;
  }
  return workspace::print_states(place, selected, now.states) > 0 ? kExitRunsFailed : kExitOk;
}

int follow(workspace::LaunchFolder& place, const workspace::RunIds& selected, double poll_s) {
  if (!workspace::may_write_log(place)) return watch_only(place, selected, poll_s);
  std::unique_ptr<runner::LaunchLog> log = workspace::open_log_if_free(place);
  if (!log && !wait_for_the_other(place, selected, log)) return kExitInterrupted;
  runner::LaunchOrders orders;
  if (log) orders.follow = workspace::open_runs(runner::LaunchHistory(log->records()), selected);
  if (!orders.follow.empty()) {
    workspace::LaunchChoice how;
    how.poll_s = poll_s;
    const runner::LaunchReport report = launch_in_view(place, *log, orders, how);
    if (report.stopped) return workspace::tell_of_interruption(place, report);
    workspace::require_all_taken(report);
  }
  const int failed = workspace::print_states(place, selected);
  if (!orders.follow.empty()) workspace::print_collect_hint(place);
  return failed > 0 ? kExitRunsFailed : kExitOk;
}

int wait(const WaitOptions& options) {
  workspace::LaunchFolder place(options.folder, options.json);
  const workspace::RunIds selected = workspace::select_runs(place.plan, options.selection);
  const workspace::RunIds before =
      options.json ? workspace::ended_runs(place, selected) : workspace::RunIds{};
  const auto deeds = [&] {
    workspace::Deeds deeds;
    for (const std::string& run : workspace::ended_runs(place, selected)) {
      if (!before.contains(run)) deeds.actions[run] = workspace::action::kEnded;
    }
    return deeds;
  };
  return workspace::report_on(
      place, selected, {"wait", [&] { return follow(place, selected, options.poll_s); }, deeds});
}

Action define_wait(CLI::App& app) {
  const auto options = std::make_shared<WaitOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_poll_option(app, options->poll_s);
  add_verb_json_option(app, options->json);
  return [options] {
    allow_runs_alone(options->folder, options->selection.runs);
    return wait(*options);
  };
}

}  // namespace

extern const CommandEntry wait_entry;
const CommandEntry wait_entry{
    .name = "wait",
    .summary = "Follow the submitted runs until they have ended. Exit code 1 if some failed",
    .example =
        "dlscale wait study && dlscale collect study\n"
        "  dlscale wait study --where 'gpus <= 8'",
    .define = &define_wait,
};

}  // namespace dlscale::cli
