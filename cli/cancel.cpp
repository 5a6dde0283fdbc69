// SPDX-License-Identifier: Apache-2.0
// `dlscale cancel`: ends jobs that wait or run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/completer.hpp"
#include "cli/launching.hpp"
#include "cli/selection.hpp"
#include "cli/state_choice.hpp"
#include "runner/cancel_wishes.hpp"
#include "runner/look.hpp"
#include "runner/run_states.hpp"

namespace dlscale::cli {
namespace {

struct Options {
  std::string folder = ".";
  SelectionChoice selection;
  StateChoice states;
  bool yes = false;
};

/// A job or a task of an array that is to end.
struct Target {
  runner::JobId id;  ///< empty: not submitted, or nobody knows whether it is
  std::string launch;
  std::string job;
  std::vector<std::string> runs;  ///< all that it holds
};

std::vector<Target> targets_among(const runner::LaunchHistory& history, const RunIds& selected) {
  std::vector<Target> targets;
  for (const runner::Submission& submission : history.submissions()) {
    if (submission.is_over()) continue;
    Target target{submission.id, submission.launch, submission.job, {}};
    bool meant = false;
    for (const runner::SubmittedRun& run : submission.runs) {
      if (run.ended) continue;
      const bool selects = selected.contains(run.run_id);
      if (submission.is_array) {
        if (selects) targets.push_back({run.id, target.launch, target.job, {run.run_id}});
        continue;
      }
      target.id = run.id;
      target.runs.push_back(run.run_id);
      meant = meant || selects;
    }
    if (meant && !target.runs.empty()) targets.push_back(target);
  }
  return targets;
}

std::string print_targets(const std::vector<Target>& targets) {
  std::vector<std::vector<std::string>> rows;
  for (const Target& target : targets) {
    for (const std::string& run : target.runs) {
      rows.push_back({target.id.empty() ? "?" : target.id, target.job, run});
    }
  }
  return base::print_table({"id", "job", "run"}, rows);
}

/// First the wish, then the deed: whoever sees a job end knows why.
void carry_out(LaunchFolder& place, const std::vector<Target>& targets, const RunIds& unsubmitted) {
  std::vector<runner::CancelWish> wishes;
  std::vector<runner::JobId> ids;
  for (const Target& target : targets) {
    for (const std::string& run : target.runs) wishes.push_back({run, target.launch});
    if (!target.id.empty()) ids.push_back(target.id);
  }
  for (const std::string& run : unsubmitted) wishes.push_back({run, ""});
  runner::note_wishes(place.folder, wishes, place.clock);
  if (!ids.empty()) place.scheduler->cancel(ids);
}

using States = std::map<std::string, runner::JobState>;

/// Only the batch system can tell who waits from who runs, so it is asked where that matters.
States states_of(const LaunchFolder& place, const Options& options) {
  if (!options.states.narrows()) return runner::run_states(place.plan, place.folder);
  States states;
  for (const auto& [run, look] :
       runner::look(place.plan, place.folder, {*place.scheduler, place.clock})) {
    states[run] = look.state;
  }
  return states;
}

int cancel(const Options& options) {
  LaunchFolder place(options.folder);
  const RunIds chosen = select_runs(place.plan, options.selection);
  const runner::LaunchHistory history = runner::read_history(place.folder);
  const States states = states_of(place, options);
  const RunIds selected =
      keep_states(chosen, options.states, states, options.selection.allow_empty);
  const std::vector<Target> targets = targets_among(history, selected);
  RunIds unsubmitted;
  for (const std::string& run : selected) {
    if (states.at(run) == runner::JobState::Planned) unsubmitted.insert(run);
  }
  if (targets.empty()) {
    std::cout << "none of these is in the batch system's hands\n";
  } else {
    std::cout << print_targets(targets);
  }
  if (!options.yes) {
    if (!targets.empty()) std::cout << "nothing has been cancelled; --yes cancels these\n";
    return targets.empty() && !options.selection.allow_empty ? kExitNothingMatched : kExitOk;
  }
  carry_out(place, targets, unsubmitted);
  const std::unique_ptr<runner::LaunchLog> log = open_log_if_free(place);
  if (!log) {
    std::cout << "the dlscale that follows these jobs notes their ends, and submits none of the "
                 "runs that wait\n";
    return kExitOk;
  }
  if (targets.empty()) return options.selection.allow_empty ? kExitOk : kExitNothingMatched;
  LaunchChoice how;
  how.until = runner::Until::ended;
  how.poll_s = 1;
  RunIds ending;
  for (const Target& target : targets) ending.insert(target.runs.begin(), target.runs.end());
  const runner::LaunchReport report = launch(place, *log, {{}, ending}, how);
  return report.stopped ? tell_of_interruption(place, report) : int{kExitOk};
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("DIR", options->folder, "plan folder (default: the current one)")
      ->type_name(value_kind::kFolder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states, "only runs in these states, parted by commas");
  app.add_flag("--yes", options->yes, "cancel; without it only list what would be");
  return [options] { return cancel(*options); };
}

}  // namespace

extern const CommandEntry cancel_entry;
const CommandEntry cancel_entry{
    .name = "cancel",
    .summary = "End jobs that wait or run; jobs whose runs share them end as a whole",
    .example =
        "dlscale cancel study --where 'gpus == 1024'        # lists them\n"
        "  dlscale cancel study --where 'gpus == 1024' --yes\n"
        "  dlscale cancel study --state queued --yes",
    .define = &define,
};

}  // namespace dlscale::cli
