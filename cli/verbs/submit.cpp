// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale submit`, which submits the runs of a plan folder to its scheduler.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>
#include <string>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/submit_options.hpp"
#include "cli/terminal/launch_view.hpp"
#include "cli/terminal/signals.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/submitting.hpp"

namespace dlscale::cli {
namespace {

/// Returns the runs to submit: runs that were never submitted, and runs that saved their state
/// before the time limit and must continue. Repetitions that run only when needed are left out.
std::set<std::string> pick_new(const workspace::LaunchFolder& place,
                               const workspace::RunIds& selected) {
  std::set<std::string> picked;
  std::size_t failed = 0;
  std::set<runner::JobState> bad;
  const workspace::RunIds first = workspace::without_adaptive_repeats(place.plan, selected);
  for (const auto& [run, state] : runner::run_states(place.plan, place.folder)) {
    if (!first.contains(run)) continue;
    if (state == runner::JobState::Planned || state == runner::JobState::Preempted) {
      picked.insert(run);
    } else if (runner::ended_badly(state)) {
      ++failed;
      bad.insert(state);
    }
  }
  if (failed > 0) {
    // The hint must name the states if `dlscale retry` does not select one of them by default.
    const bool odd =
        bad.contains(runner::JobState::Cancelled) || bad.contains(runner::JobState::Lost);
    std::string options;
    for (const runner::JobState state : bad) {
      if (odd) options += (options.empty() ? " --state " : ",") + to_string(state);
    }
    fmt::print(stderr,
               "left out: {} that ended without completing; dlscale retry{} resubmits them\n",
               base::count_of(failed, "run"), options);
  }
  return picked;
}

Action define_submit(CLI::App& app) {
  const auto choice = std::make_shared<workspace::SubmitChoice>();
  add_submit_options(app, *choice);
  return [choice] {
    allow_runs_alone(choice->folder, choice->selection.runs);
    return workspace::submit_runs("submit", *choice, &pick_new, {&launch_in_view, &detach});
  };
}

}  // namespace

extern const CommandEntry submit_entry;
const CommandEntry submit_entry{
    .name = "submit",
    .summary = "Submit the runs of a plan folder to the scheduler, each exactly once",
    .example =
        "dlscale submit study --dry-run\n  dlscale submit study --where 'gpus <= 8' --wait\n  "
        "dlscale submit study --json | jq -r '.runs[] | select(.action == \"refused\").reason'\n  "
        "dlscale submit study --max-jobs 20 --detach    # continues without a terminal\n  */10 * * "
        "* * dlscale submit study --max-jobs 20 --once    # line for cron",
    .define = &define_submit,
};

}  // namespace dlscale::cli
