// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale retry`, which resubmits failed runs.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/submit_options.hpp"
#include "cli/terminal/launch_view.hpp"
#include "cli/terminal/signals.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/status/code_versions.hpp"
#include "workspace/submitting.hpp"

namespace dlscale::cli {
namespace {

struct RetryOptions {
  workspace::SubmitChoice submit;
  workspace::StateChoice states;
  bool old_code = false;
};

/// Returns the completed runs among `selected` that used other code than the newest completed run
/// or than the present training script.
std::set<std::string> runs_of_old_code(const workspace::LaunchFolder& place,
                                       const workspace::RunIds& selected, bool allow_empty) {
  std::set<std::string> runs;
  for (const workspace::OldCode& old : workspace::old_code(place.plan, place.folder, selected)) {
    runs.insert(old.runs.begin(), old.runs.end());
  }
  if (runs.empty() && !allow_empty) {
    throw base::RunError(
        "no completed run used other code than the newest completed run, and the training script "
        "has not changed since this run",
        kExitNothingMatched);
  }
  return runs;
}

/// Throws base::RunError with kExitNothingMatched if all selected runs are planned, so that no run
/// can have failed.
void require_submitted(const workspace::LaunchFolder& place, const workspace::RunIds& selected,
                       const runner::States& now) {
  const bool all_planned =
      !selected.empty() && std::ranges::all_of(selected, [&](const std::string& run) {
        return now.at(run) == runner::JobState::Planned;
      });
  if (!all_planned) return;
  throw base::RunError(
      fmt::format("no run has failed yet, because {} planned and not submitted; dlscale submit {} "
                  "starts {}",
                  base::count_of(selected.size(), "run is", "runs are"),
                  base::shell_quote(place.folder.root().string()),
                  base::word_for(selected.size(), "it", "them")),
      kExitNothingMatched);
}

int retry(const RetryOptions& options) {
  workspace::StateChoice states = options.states;
  const bool only_failed = !states.narrows();
  if (only_failed) states.words = {"failed", "oom", "timeout", "node_fail"};
  const workspace::Pick pick = [&](const workspace::LaunchFolder& place,
                                   const workspace::RunIds& selected) {
    const bool allow_empty = options.submit.selection.allow_empty;
    if (options.old_code) return runs_of_old_code(place, selected, allow_empty);
    const auto now = workspace::states_now(place.plan, place.folder);
    if (only_failed && !allow_empty) require_submitted(place, selected, now);
    return workspace::keep_states(selected, states, now, allow_empty);
  };
  return workspace::submit_runs("retry", options.submit, pick, {&launch_in_view, &detach});
}

Action define_retry(CLI::App& app) {
  const auto options = std::make_shared<RetryOptions>();
  add_submit_options(app, options->submit);
  add_state_option(
      app, options->states,
      " (default: failed,oom,timeout,node_fail). The state done repeats completed runs "
      "of your own training script");
  app.add_flag("--old-code", options->old_code,
               "repeat completed runs whose code differs from the present training script or from "
               "the code of the newest completed run")
      ->excludes(app.get_option("--state"));
  return [options] {
    allow_runs_alone(options->submit.folder, options->submit.selection.runs);
    return retry(*options);
  };
}

}  // namespace

extern const CommandEntry retry_entry;
const CommandEntry retry_entry{
    .name = "retry",
    .summary = "Resubmit failed runs, resuming from checkpoints where available",
    .example =
        "dlscale retry study\n"
        "  dlscale retry study --state cancelled,lost --where 'gpus == 64'\n"
        "  dlscale retry study --old-code          # so that all runs use the present code\n"
        "  dlscale retry study --avoid-node node17 --wait",
    .define = &define_retry,
};

}  // namespace dlscale::cli
