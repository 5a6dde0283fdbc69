// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale run`, which plans, runs and evaluates a study on the local machine.
#include "cli/verbs/run.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/terminal/launch_view.hpp"
#include "forecast/saved_predictions.hpp"
#include "planner/planner.hpp"
#include "runner/launch/launcher.hpp"
#include "runner/status/launch_log.hpp"
#include "workspace/collect/collect_steps.hpp"
#include "workspace/jobs/adaptive_repeats.hpp"
#include "workspace/jobs/job_environment.hpp"
#include "workspace/jobs/launching.hpp"
#include "workspace/jobs/local_runs.hpp"
#include "workspace/plans/plan_summary.hpp"
#include "workspace/reference_reader.hpp"
#include "workspace/resources.hpp"
#include "workspace/runs/plan_folder.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

/// Prints each failed run with the reason and the files that explain the failure, and returns the
/// number of failed runs. The paths of the files begin with `shown`.
int print_failures(const std::vector<runner::RunReport>& ends, const fs::path& root,
                   const fs::path& shown) {
  std::string text;
  int failures = 0;
  for (const auto& [run_id, end, wall_s, earlier] : ends) {
    if (end.outcome == contract::RunOutcome::Completed) continue;
    ++failures;
    text += fmt::format("  {}: {} (exit code {}): {}\n", run_id, contract::to_string(end.outcome),
                        end.exit_code, end.reason);
    if (end.details.empty()) continue;
    text += fmt::format("    see {}\n", (shown / end.details.lexically_relative(root)).string());
  }
  if (failures > 0) {
    std::cout << fmt::format("{} failed:\n{}\n", base::count_of(failures, "run"), text);
  }
  return failures;
}

}  // namespace

int run_study(const RunOptions& options) {
  const planner::Resources resources = workspace::shipped_resources();
  planner::Planner planner(options.request, resources);
  const contract::PlanDir shown(options.out.empty() ? planner.plan().study : options.out);
  planner.expand({}, planner::RunNames(shown));
  const planner::Planning planning = planner.finish({.folder = shown});
  workspace::require_runnable_here(planning);
  const workspace::RunIds selected = workspace::select_runs(planning.plan, options.runs);
  workspace::check_reference(planning.plan);
  workspace::require_writable(shown);
  // The check reports errors before the folder is created.
  planner::check_plan(planning, resources, shown);

  workspace::make_folder(shown);
  // The launch log locks the folder before the plan is written.
  const base::SystemClock clock;
  runner::LaunchLog log(fs::canonical(shown.root()) / shown.launch_log().filename(), clock);
  const planner::WrittenPlan written = planner::write_plan(planning, resources, shown);
  workspace::print_plan_summary(planning.plan, std::cout);
  for (const std::string& run_id : written.stale) {
    std::cout << fmt::format("stale: {} keeps its results from an earlier description\n", run_id);
  }
  std::cout << forecast::keep_planned(planning, shown, clock.unix_s()) << std::endl;

  workspace::LaunchFolder place(shown.root());
  place.words << workspace::removed_variables_line(place.environment.removed) << std::flush;
  workspace::LaunchChoice how;
  how.max_jobs = options.jobs;
  how.tell_submissions = false;
  how.more = workspace::adaptive_repeats(place, selected);
  const workspace::RunIds first = workspace::without_adaptive_repeats(place.plan, selected);
  const runner::LaunchReport report = launch_in_view(place, log, {first, selected}, how);
  if (report.stopped) {
    place.words << "interrupted; repeat the command to continue with the remaining runs\n";
    return kExitInterrupted;
  }
  workspace::require_all_taken(report);
  std::cout << (report.ended.empty() ? "all runs are complete; no run was started\n\n" : "\n");
  const bool failed =
      print_failures(workspace::last_ends(report), place.folder.root(), shown.root()) > 0;
  const int collected =
      workspace::collect_and_report({shown.root(), false, true, !options.no_figures}, std::cout);
  return failed ? int{kExitRunsFailed} : collected;
}

namespace {

Action define_run(CLI::App& app) {
  const auto options = std::make_shared<RunOptions>();
  app.add_option("study", options->request.study, "study file (TOML)")
      ->type_name(value_kind::kStudy)
      ->required();
  app.add_option("--site", options->request.site, "name of a local site, or a site file (*.toml)")
      ->type_name(value_kind::kSite)
      ->capture_default_str();
  app.add_option("-o,--output", options->out, "plan folder (default: name of the study)")
      ->type_name(value_kind::kFolder);
  app.add_option("-S", options->request.overrides,
                 "set a key of the study, for example -S training.epochs=2")
      ->allow_extra_args(false);
  app.add_option("-j,--jobs", options->jobs,
                 "number of simultaneous runs, limited by the cores. With 1 each run has the "
                 "machine for itself, so times are comparable")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  app.add_flag("--no-figures", options->no_figures, "write tables only");
  add_selection_options(app, options->runs, RunArguments::none);
  return [options] { return run_study(*options); };
}

}  // namespace

extern const CommandEntry run_entry;
const CommandEntry run_entry{
    .name = "run",
    .summary = "Plan, run and evaluate a study on this machine. Resumes after an interruption",
    .example =
        "dlscale run examples/studies/demo/study.toml -o demo\n  dlscale run study.toml --where "
        "'gpus == 1'    # other runs stay planned",
    .define = &define_run,
};

}  // namespace dlscale::cli
