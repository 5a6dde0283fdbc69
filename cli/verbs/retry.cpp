// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale retry`, which resubmits failed runs.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/options/submit_options.hpp"
#include "cli/terminal/launch_view.hpp"
#include "cli/terminal/signals.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/runs/selection.hpp"
#include "workspace/submitting.hpp"

namespace dlscale::cli {
namespace {

struct RetryOptions {
  workspace::SubmitChoice submit;
  workspace::StateChoice states;
};

int retry(const RetryOptions& options) {
  workspace::StateChoice states = options.states;
  if (!states.narrows()) states.words = {"failed", "oom", "timeout", "node_fail"};
  const workspace::Pick pick = [&](const workspace::LaunchFolder& place,
                                   const workspace::RunIds& selected) {
    const auto now = workspace::states_now(place.plan, place.folder);
    return workspace::keep_states(selected, states, now, options.submit.selection.allow_empty);
  };
  return workspace::submit_runs("retry", options.submit, pick, {&launch_in_view, &detach});
}

Action define_retry(CLI::App& app) {
  const auto options = std::make_shared<RetryOptions>();
  add_submit_options(app, options->submit);
  add_state_option(app, options->states, " (default: failed,oom,timeout,node_fail)");
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
        "  dlscale retry study --avoid-node node17 --wait",
    .define = &define_retry,
};

}  // namespace dlscale::cli
