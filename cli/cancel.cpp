// SPDX-License-Identifier: Apache-2.0
// `dlscale cancel`: ends jobs that wait or run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/launch_view.hpp"
#include "cli/launching.hpp"
#include "cli/plan_folder_options.hpp"
#include "cli/selection.hpp"
#include "cli/selection_options.hpp"
#include "cli/state_choice.hpp"
#include "cli/state_options.hpp"
#include "cli/verb_report.hpp"
#include "cli/verb_report_options.hpp"
#include "runner/cancel_wishes.hpp"
#include "runner/look.hpp"
#include "runner/run_states.hpp"

namespace dlscale::cli {
namespace {

struct CancelOptions {
  std::string folder = ".";
  SelectionChoice selection;
  StateChoice states;
  bool yes = false;
  bool json = false;
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

using States = runner::States;

/// Only the batch system can tell who waits from who runs, so it is asked where that matters.
States states_of(const LaunchFolder& place, const CancelOptions& options) {
  if (!options.states.narrows()) return runner::run_states(place.plan, place.folder);
  const bool followed = runner::is_taken(place.folder.launch_log());
  States states;
  for (const auto& [run, look] :
       runner::look(place.plan, place.folder, {*place.scheduler, place.clock, nullptr, followed})) {
    states[run] = look.state;
  }
  return states;
}

/// What is to end: jobs, and runs that somebody may be about to submit.
struct Chosen {
  RunIds selected;
  std::vector<Target> targets;
  RunIds unsubmitted;
};

/// Takes out of the choice the runs that a job has and the plan has no more: only by their ids are
/// those meant.
RunIds take_unplanned(const LaunchFolder& place, const runner::LaunchHistory& history,
                      SelectionChoice& choice) {
  RunIds named(choice.runs.begin(), choice.runs.end());
  for (const contract::PlannedRun& run : place.plan.runs) named.erase(run.run_id);
  const RunIds unplanned = open_runs(history, named);
  std::erase_if(choice.runs, [&](const std::string& run) { return unplanned.contains(run); });
  return unplanned;
}

Chosen choose(const LaunchFolder& place, const CancelOptions& options) {
  const runner::LaunchHistory history = runner::read_history(place.folder);
  SelectionChoice choice = options.selection;
  const RunIds unplanned = take_unplanned(place, history, choice);
  Chosen chosen;
  if (unplanned.empty() || choice.narrows()) {
    const RunIds named = select_runs(place.plan, choice);
    const States states = states_of(place, options);
    chosen.selected = keep_states(named, options.states, states, choice.allow_empty);
    for (const std::string& run : chosen.selected) {
      if (states.at(run) == runner::JobState::Planned) chosen.unsubmitted.insert(run);
    }
  }
  chosen.selected.insert(unplanned.begin(), unplanned.end());
  chosen.targets = targets_among(history, chosen.selected);
  return chosen;
}

/// Notes their ends, unless another dlscale does.
int follow_to_the_end(LaunchFolder& place, runner::LaunchLog& log,
                      const std::vector<Target>& targets) {
  LaunchChoice how;
  how.until = runner::Until::ended;
  how.poll_s = 1;
  RunIds ending;
  for (const Target& target : targets) ending.insert(target.runs.begin(), target.runs.end());
  const runner::LaunchReport report = launch_in_view(place, log, {{}, ending}, how);
  return report.stopped ? tell_of_interruption(place, report) : int{kExitOk};
}

int cancel_chosen(LaunchFolder& place, const Chosen& chosen, const CancelOptions& options,
                  Deeds& deeds) {
  const std::vector<Target>& targets = chosen.targets;
  const int nothing = options.selection.allow_empty ? kExitOk : kExitNothingMatched;
  place.words << (targets.empty() ? "none of these is in the batch system's hands\n"
                                  : print_targets(targets));
  deeds.dry_run = !options.yes;
  deeds.jobs = static_cast<int>(targets.size());
  for (const Target& target : targets) {
    for (const std::string& run : target.runs) deeds.actions[run] = action::kCancelled;
  }
  if (!options.yes) {
    if (targets.empty()) return nothing;
    place.words << "nothing has been cancelled; --yes cancels these\n";
    return kExitOk;
  }
  carry_out(place, targets, chosen.unsubmitted);
  const std::unique_ptr<runner::LaunchLog> log = open_log_if_free(place);
  if (!log) {
    for (const std::string& run : chosen.unsubmitted) deeds.actions[run] = action::kCancelled;
    place.words << "the dlscale that follows these jobs notes their ends, and submits none of the "
                   "runs that wait\n";
    return kExitOk;
  }
  return targets.empty() ? nothing : follow_to_the_end(place, *log, targets);
}

int cancel(const CancelOptions& options) {
  LaunchFolder place(options.folder, options.json);
  const Chosen chosen = choose(place, options);
  Deeds deeds;
  return report_on(place, chosen.selected,
                   {"cancel", [&] { return cancel_chosen(place, chosen, options, deeds); },
                    [&] { return deeds; }});
}

Action define_cancel(CLI::App& app) {
  const auto options = std::make_shared<CancelOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states, "only runs in these states, parted by commas");
  app.add_flag("--yes", options->yes, "cancel; without it only list what would be");
  add_verb_json_option(app, options->json);
  return [options] {
    allow_runs_alone(options->folder, options->selection.runs);
    return cancel(*options);
  };
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
    .define = &define_cancel,
};

}  // namespace dlscale::cli
