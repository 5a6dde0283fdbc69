// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale list`, which prints one line for each run of a plan folder.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/selection_options.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

struct ListOptions {
  std::string folder = ".";
  workspace::SelectionChoice selection;
  bool json = false;
  bool csv = false;
  bool jobs = false;
};

std::string as_json(const std::vector<workspace::ShownRun>& runs) {
  std::vector<contract::ListedRun> listed;
  for (const workspace::ShownRun& shown : runs)
    listed.push_back({*shown.run, to_string(shown.state)});
  return to_json(listed);
}

bool waits_or_runs(runner::JobState state) {
  using runner::JobState;
  return state == JobState::Submitted || state == JobState::Queued || state == JobState::Running;
}

/// Returns the scripts of the jobs that contain unfinished runs of `selected`, one per line. Leaves
/// out jobs with a waiting or running run, because submitting the script would execute that run
/// twice.
std::string as_scripts(const contract::Plan& plan, const contract::PlanDir& folder,
                       const workspace::RunIds& selected, const workspace::States& states) {
  std::string text;
  int busy_jobs = 0;
  for (const contract::PlannedJob& job : plan.jobs) {
    bool left = false, busy = false;
    for (const std::string& id : job.run_ids) {
      const runner::JobState state = states.at(id);
      busy = busy || waits_or_runs(state);
      const bool over = state == runner::JobState::Done || state == runner::JobState::NotNeeded;
      left = left || (selected.contains(id) && !over);
    }
    if (left && busy) ++busy_jobs;
    if (left && !busy) text += folder.job_script(job.name).string() + "\n";
  }
  if (busy_jobs > 0) {
    fmt::print(stderr, "left out: {} with runs that are submitted or running\n",
               base::count_of(busy_jobs, "job"));
  }
  return text;
}

int list(const ListOptions& options) {
  const contract::PlanDir folder{std::filesystem::path(options.folder)};
  const contract::Plan plan = contract::read_plan(folder);
  const workspace::RunIds selected = workspace::select_runs(plan, options.selection);
  const workspace::States states = workspace::states_now(plan, folder);
  if (options.jobs) {
    std::cout << as_scripts(plan, folder, selected, states);
    return kExitOk;
  }
  std::vector<workspace::ShownRun> runs;
  for (const contract::PlannedRun& run : plan.runs) {
    if (selected.contains(run.run_id)) runs.push_back({&run, states.at(run.run_id)});
  }
  if (options.json) {
    std::cout << as_json(runs);
  } else if (options.csv) {
    std::cout << workspace::runs_as_csv(runs, workspace::plan_columns(plan));
  } else {
    std::cout << workspace::count_states(runs) << "\n"
              << workspace::runs_as_table(runs, workspace::telling_columns(plan));
  }
  return kExitOk;
}

Action define_list(CLI::App& app) {
  const auto options = std::make_shared<ListOptions>();
  add_folder_argument(app, options->folder);
  add_selection_options(app, options->selection, RunArguments::positional);
  CLI::Option* json = app.add_flag("--json", options->json, "print a JSON list of objects");
  CLI::Option* csv =
      app.add_flag("--csv", options->csv, "print all columns as CSV")->excludes(json);
  app.add_flag("--jobs", options->jobs,
               "print the scripts of jobs with unfinished runs, one per line")
      ->excludes(json)
      ->excludes(csv);
  return [options] { return list(*options); };
}

}  // namespace

extern const CommandEntry list_entry;
const CommandEntry list_entry{
    .name = "list",
    .summary = "List the runs of a plan folder with state and progress",
    .example =
        "dlscale list demo --where 'gpus > 1 && model == \"mlp\"'\n"
        "  dlscale list demo 'ddp-*-r1' --csv\n"
        "  dlscale list study --jobs | xargs -n 1 sbatch    # submits what is left",
    .define = &define_list,
};

}  // namespace dlscale::cli
