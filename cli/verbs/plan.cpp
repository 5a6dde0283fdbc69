// SPDX-License-Identifier: Apache-2.0
// Implements `dlscale plan`, which writes run descriptions and job scripts for a study on a site.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "cli/command.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "cli/verbs/plan_show.hpp"
#include "forecast/saved_predictions.hpp"
#include "planner/planner.hpp"
#include "workspace/plans/diff_report.hpp"
#include "workspace/plans/explanation.hpp"
#include "workspace/plans/leftovers.hpp"
#include "workspace/plans/plan_summary.hpp"
#include "workspace/reference_reader.hpp"
#include "workspace/resources.hpp"
#include "workspace/runs/plan_folder.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

struct PlanOptions {
  planner::PlanRequest request;
  std::string out;
  workspace::SelectionChoice runs;
  std::string explain;
  std::string job_template;
  bool dry_run = false;
  bool diff = false;
  bool resolved = false;
  bool json = false;
};

void print_json(const contract::Plan& plan) {
  contract::write_json(plan, [](std::string_view piece) { std::cout << piece; });
}

int plan(const PlanOptions& options) {
  const planner::Resources resources = workspace::shipped_resources(options.job_template);
  if (options.request.study.empty()) {
    throw base::UsageError("study is required; see dlscale plan --help");
  }
  planner::Planner planner(options.request, resources);
  const contract::PlanDir out(options.out.empty() ? planner.plan().study : options.out);
  workspace::expand_chosen(planner, options.runs, planner::RunNames(out));
  planner::Planning planning = planner.finish(workspace::earlier_plan(planner, out));
  if (options.resolved) {
    std::cout << planning.resolved;
    return kExitOk;
  }
  // With --json only the plan goes to standard output, so all other text goes to standard error.
  std::ostream& talk = options.json ? std::cerr : std::cout;
  if (planning.plan.runs.empty()) {
    talk << "nothing to plan\n";
    if (options.json && options.diff) workspace::show_diff(planning, out, true, std::cout);
    if (options.json && !options.diff) print_json(planning.plan);
    return kExitOk;
  }
  if (!options.explain.empty()) workspace::print_explanation(planning, options.explain, talk);
  if (options.diff) {
    workspace::show_diff(planning, out, options.json, std::cout);
    return kExitOk;
  }
  const std::string left_out =
      options.runs.narrows() ? workspace::runs_left_out(planning.plan, out) : "";
  talk << workspace::open_runs_left_out(planning.plan, out) << std::flush;
  workspace::check_reference(planning.plan);
  const planner::WrittenPlan written =
      workspace::write_planned(planning, resources, out, options.dry_run);
  if (options.json) {
    print_json(planning.plan);
  } else {
    workspace::print_plan_summary(planning.plan, std::cout);
    std::cout << '\n';
  }
  if (!options.dry_run) talk << forecast::keep_planned(planning, out, base::SystemClock().unix_s());
  talk << workspace::describe_written(written, out, options.dry_run) << left_out
       << workspace::results_left_over(planning.plan, out)
       << workspace::scripts_left_over(planning.plan, out);
  return kExitOk;
}

Action define_plan(CLI::App& app) {
  const auto options = std::make_shared<PlanOptions>();
  app.add_option("study", options->request.study, "study file (TOML)")
      ->type_name(value_kind::kStudy);
  app.add_option("--site", options->request.site, "name of a site, or a site file (*.toml)")
      ->type_name(value_kind::kSite)
      ->capture_default_str();
  app.add_option("-o,--output", options->out, "plan folder (default: name of the study)")
      ->type_name(value_kind::kFolder);
  app.add_option("-S", options->request.overrides,
                 "set a key of the study, for example -S training.epochs=2")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  app.add_flag("-n,--dry-run", options->dry_run,
               "check the study and print the summary without writing");
  app.add_flag("--diff", options->diff,
               "list runs that would be added, removed or changed, without writing");
  app.add_flag("--explain{*}", options->explain,
               "print how batches, steps, learning rate and time of each point are computed. "
               "--explain=GLOB selects runs");
  CLI::Option* resolved =
      app.add_flag("--resolved", options->resolved,
                   "print the complete study as one TOML file, with the values from "
                   "extended studies, -S and defaults. Write no files");
  app.add_option("--max-gpu-hours", options->request.max_gpu_hours,
                 "reject a plan whose jobs could exceed this number of GPU-hours")
      ->type_name("HOURS");
  app.add_flag("--fit", options->request.fit,
               "omit points until the plan fits the budget. Each curve keeps its smallest and its "
               "largest GPU count, and evenly spaced GPU counts in between");
  app.add_option("--template", options->job_template,
                 "your own template for job scripts. Its partials are searched in its folder, then "
                 "in the shipped templates")
      ->type_name(value_kind::kFile);
  app.add_flag(
         "--json", options->json,
         "print the plan as JSON instead of the summary; with --diff, print the changes as JSON")
      ->excludes(resolved);
  add_selection_options(app, options->runs, RunArguments::none);
  CLI::App* show = app.add_subcommand("show", "Show complete run descriptions of a plan folder");
  return [options, show, show_runs = define_plan_show(*show)] {
    return show->parsed() ? show_runs() : plan(*options);
  };
}

}  // namespace

extern const CommandEntry plan_entry;
const CommandEntry plan_entry{
    .name = "plan",
    .summary = "Turn a study into run descriptions and job scripts",
    .example =
        "dlscale plan study.toml --site juwels-booster -o juwels --explain -n\n"
        "  dlscale plan study.toml -o juwels --diff\n"
        "  dlscale plan study.toml --max-gpu-hours 500 --fit\n"
        "  dlscale plan study.toml --where 'gpus <= 8'    # only these points\n"
        "  dlscale plan show juwels 'ddp-resnet50-*-r1'",
    .define = &define_plan,
};

}  // namespace dlscale::cli
