// SPDX-License-Identifier: Apache-2.0
// `dlscale wait`: follows what was submitted until it has ended.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <thread>

#include "cli/command.hpp"
#include "cli/interrupt.hpp"
#include "cli/launch_view.hpp"
#include "cli/launching.hpp"
#include "cli/plan_folder_options.hpp"
#include "cli/selection.hpp"
#include "cli/selection_options.hpp"
#include "cli/submit_options.hpp"
#include "cli/submitting.hpp"
#include "cli/verb_report.hpp"
#include "cli/verb_report_options.hpp"
#include "runner/look.hpp"
#include "runner/run_states.hpp"

namespace dlscale::cli {
namespace {

struct WaitOptions {
  std::string folder = ".";
  SelectionChoice selection;
  double poll_s = 0;
  bool json = false;
};

bool all_have_ended(const LaunchFolder& place, const RunIds& runs) {
  const auto states = runner::run_states(place.plan, place.folder);
  return std::all_of(runs.begin(), runs.end(),
                     [&](const std::string& run) { return has_ended(states.at(run)); });
}

/// Until another dlscale has seen all end, or leaves the folder to this one: then its log. False
/// when interrupted.
bool wait_for_the_other(const LaunchFolder& place, const RunIds& selected,
                        std::unique_ptr<runner::LaunchLog>& log) {
  constexpr auto kPause = std::chrono::milliseconds(500);
  place.words << "another dlscale is at work on these runs; waiting for what it notes\n"
              << std::flush;
  const StopSignals signals;
  while (!log && signals.count() == 0 && !all_have_ended(place, selected)) {
    std::this_thread::sleep_for(kPause);
    log = open_log_if_free(place);
  }
  return signals.count() == 0;
}

/// Without the right to write the folder: nothing is noted.
int watch_only(const LaunchFolder& place, const RunIds& selected, double poll_s) {
  constexpr double kPoll_s = 10;
  constexpr auto kStep = std::chrono::milliseconds(100);
  place.words << "the folder cannot be written: the ends of runs are seen here, not noted\n"
              << std::flush;
  const StopSignals signals;
  runner::States states;
  for (bool open = true; open;) {
    const bool followed = runner::is_taken(place.folder.launch_log());
    const auto looks =
        runner::look(place.plan, place.folder, {*place.scheduler, place.clock, nullptr, followed});
    for (const auto& [run, look] : looks) states[run] = look.state;
    open = std::any_of(selected.begin(), selected.end(), [&](const std::string& run) {
      const runner::JobState state = states.at(run);
      return !has_ended(state) && (followed || state != runner::JobState::Planned);
    });
    const double until_s = place.clock.steady_s() + (poll_s > 0 ? poll_s : kPoll_s);
    while (open && signals.count() == 0 && place.clock.steady_s() < until_s) {
      std::this_thread::sleep_for(kStep);
    }
    if (signals.count() > 0) return kExitInterrupted;
  }
  return print_states(place, selected, states) > 0 ? kExitRunsFailed : kExitOk;
}

bool may_write(const LaunchFolder& place) {
  const std::filesystem::path log = place.folder.launch_log();
  std::error_code unreadable;
  const bool there = std::filesystem::exists(log, unreadable);
  return ::access((there ? log : log.parent_path()).c_str(), W_OK) == 0;
}

int follow(LaunchFolder& place, const RunIds& selected, double poll_s) {
  if (!may_write(place)) return watch_only(place, selected, poll_s);
  std::unique_ptr<runner::LaunchLog> log = open_log_if_free(place);
  if (!log && !wait_for_the_other(place, selected, log)) return kExitInterrupted;
  runner::LaunchOrders orders;
  if (log) orders.follow = open_runs(runner::LaunchHistory(log->records()), selected);
  if (!orders.follow.empty()) {
    LaunchChoice how;
    how.poll_s = poll_s;
    const runner::LaunchReport report = launch_in_view(place, *log, orders, how);
    if (report.stopped) return tell_of_interruption(place, report);
    require_all_taken(report);
  }
  return print_states(place, selected) > 0 ? kExitRunsFailed : kExitOk;
}

RunIds ended_runs(const LaunchFolder& place, const RunIds& among) {
  RunIds ended;
  for (const auto& [run, state] : runner::run_states(place.plan, place.folder)) {
    if (among.contains(run) && runner::has_ended(state)) ended.insert(run);
  }
  return ended;
}

int wait(const WaitOptions& options) {
  LaunchFolder place(options.folder, options.json);
  const RunIds selected = select_runs(place.plan, options.selection);
  const RunIds before = options.json ? ended_runs(place, selected) : RunIds{};
  const auto deeds = [&] {
    Deeds deeds;
    for (const std::string& run : ended_runs(place, selected)) {
      if (!before.contains(run)) deeds.actions[run] = action::kEnded;
    }
    return deeds;
  };
  return report_on(place, selected,
                   {"wait", [&] { return follow(place, selected, options.poll_s); }, deeds});
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
    .summary = "Follow the submitted runs until they have ended; exit code 1 if some failed",
    .example =
        "dlscale wait study && dlscale collect study\n"
        "  dlscale wait study --where 'gpus <= 8'",
    .define = &define_wait,
};

}  // namespace dlscale::cli
