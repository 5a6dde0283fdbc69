// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale cancel`, which cancels waiting and running jobs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/table_printer.hpp"
#include "cli/command.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/verb_report_options.hpp"
#include "cli/terminal/launch_view.hpp"
#include "workspace/jobs/cancelling.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/status/verb_report.hpp"

namespace dlscale::cli {
namespace {

struct CancelOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  workspace::StateChoice states;
  bool yes = false;
  bool json = false;
};

std::string print_targets(const std::vector<workspace::CancelTarget>& targets) {
  std::vector<std::vector<std::string>> rows;
  for (const workspace::CancelTarget& target : targets) {
    for (const std::string& run : target.runs) {
      rows.push_back({target.id.empty() ? "?" : target.id, target.job, run});
    }
  }
  return base::print_table({"id", "job", "run"}, rows);
}

/// Follows the cancelled jobs and records their ends in the launch log.
int follow_to_the_end(workspace::LaunchFolder& place, runner::LaunchLog& log,
                      const std::vector<workspace::CancelTarget>& targets) {
  workspace::LaunchChoice how;
  how.until = runner::Until::ended;
  how.poll_s = 1;
  workspace::RunIds ending;
  for (const workspace::CancelTarget& target : targets)
    ending.insert(target.runs.begin(), target.runs.end());
  const runner::LaunchReport report = launch_in_view(place, log, {{}, ending}, how);
  return report.stopped ? workspace::tell_of_interruption(place, report) : int{kExitOk};
}

int cancel_chosen(workspace::LaunchFolder& place, const workspace::CancelledJobs& chosen,
                  const CancelOptions& options, workspace::Deeds& deeds) {
  const std::vector<workspace::CancelTarget>& targets = chosen.targets;
  const int nothing = options.selection.allow_empty ? kExitOk : kExitNothingMatched;
  place.words << (targets.empty() ? "none of the selected runs is in the batch system\n"
                                  : print_targets(targets));
  deeds.dry_run = !options.yes;
  deeds.jobs = static_cast<int>(targets.size());
  for (const workspace::CancelTarget& target : targets) {
    for (const std::string& run : target.runs) deeds.actions[run] = workspace::action::kCancelled;
  }
  if (!options.yes) {
    if (targets.empty()) return nothing;
    place.words << "nothing has been cancelled; add --yes to cancel these jobs\n";
    return kExitOk;
  }
  workspace::cancel_jobs(place, chosen);
  const std::unique_ptr<runner::LaunchLog> log = workspace::open_log_if_free(place);
  if (!log) {
    for (const std::string& run : chosen.unsubmitted)
      deeds.actions[run] = workspace::action::kCancelled;
    place.words << "the dlscale process that follows these jobs records their ends and submits "
                   "none of the waiting runs\n";
    return kExitOk;
  }
  return targets.empty() ? nothing : follow_to_the_end(place, *log, targets);
}

int cancel(const CancelOptions& options) {
  workspace::LaunchFolder place(options.folder, options.json);
  const workspace::CancelledJobs chosen =
      workspace::jobs_to_cancel(place, options.selection, options.states);
  workspace::Deeds deeds;
  return workspace::report_on(
      place, chosen.selected,
      {"cancel", [&] { return cancel_chosen(place, chosen, options, deeds); },
       [&] { return deeds; }});
}

Action define_cancel(CLI::App& app) {
  const auto options = std::make_shared<CancelOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  add_state_option(app, options->states);
  app.add_flag("--yes", options->yes, "cancel the runs (default: only list them)");
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
    .summary = "Cancel waiting and running jobs. A packed job ends with all its runs",
    .example =
        "dlscale cancel study --where 'gpus == 1024'        # lists them\n"
        "  dlscale cancel study --where 'gpus == 1024' --yes\n"
        "  dlscale cancel study --state queued --yes",
    .define = &define_cancel,
};

}  // namespace dlscale::cli
