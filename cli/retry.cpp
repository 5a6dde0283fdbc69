// SPDX-License-Identifier: Apache-2.0
// `dlscale retry`: submits runs again that did not end well.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/detach.hpp"
#include "cli/launch_view.hpp"
#include "cli/more_repeats.hpp"
#include "cli/plan_folder_options.hpp"
#include "cli/state_choice.hpp"
#include "cli/state_options.hpp"
#include "cli/submit_options.hpp"
#include "cli/submitting.hpp"

namespace dlscale::cli {
namespace {

struct RetryOptions {
  SubmitChoice submit;
  StateChoice states;
};

int retry(const RetryOptions& options) {
  StateChoice states = options.states;
  if (!states.narrows()) states.words = {"failed", "oom", "timeout", "node_fail"};
  const Pick pick = [&](const LaunchFolder& place, const RunIds& selected) {
    const auto now = states_now(place.plan, place.folder);
    return keep_states(selected, states, now, options.submit.selection.allow_empty);
  };
  return submit_runs("retry", options.submit, pick, {&launch_in_view, &detach});
}

Action define_retry(CLI::App& app) {
  const auto options = std::make_shared<RetryOptions>();
  add_submit_options(app, options->submit);
  add_state_option(app, options->states,
                   "runs in these states, parted by commas (default: "
                   "failed,oom,timeout,node_fail)");
  return [options] {
    allow_runs_alone(options->submit.folder, options->submit.selection.runs);
    return retry(*options);
  };
}

}  // namespace

extern const CommandEntry retry_entry;
const CommandEntry retry_entry{
    .name = "retry",
    .summary = "Submit runs again that did not end well; from their checkpoints, if they left any",
    .example =
        "dlscale retry study\n"
        "  dlscale retry study --state cancelled,lost --where 'gpus == 64'\n"
        "  dlscale retry study --avoid-node node17 --wait",
    .define = &define_retry,
};

}  // namespace dlscale::cli
