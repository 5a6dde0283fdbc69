// SPDX-License-Identifier: Apache-2.0
// `dlscale plan`: a study and a site to a folder of run descriptions and job scripts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>

#include "cli/command.hpp"
#include "cli/plan_summary.hpp"
#include "cli/resources.hpp"
#include "planner/planner.hpp"

namespace dlscale::cli {
namespace {

struct PlanOptions {
  planner::PlanRequest request;
  std::string out;
  bool dry_run = false;
  bool json = false;
};

int plan(const PlanOptions& options) {
  const std::filesystem::path share = share_folder();
  const planner::Resources resources{share / "sites", share / "templates", built_capabilities(),
                                     trainer_beside()};
  const planner::Planning planning = planner::make_plan(options.request, resources);
  const contract::PlanDir out(options.out.empty() ? planning.plan.study : options.out);
  std::string outcome;
  if (options.dry_run) {
    planner::render_jobs(planning, resources, out);
    outcome = "dry run: nothing was written\n";
  } else {
    const planner::WrittenPlan written = planner::write_plan(planning, resources, out);
    for (const std::string& run : written.stale) {
      outcome +=
          fmt::format("stale: {} has results of another description; it was left as it is\n", run);
    }
    outcome += fmt::format("{}: {} files written, {} unchanged\n", out.root().string(),
                           written.written, written.unchanged);
  }
  if (options.json) {
    std::cout << contract::to_json(planning.plan);
    std::cerr << outcome;
  } else {
    print_plan_summary(planning.plan, std::cout);
    std::cout << '\n' << outcome;
  }
  return kExitOk;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<PlanOptions>();
  app.add_option("study", options->request.study, "the study file (TOML)")->required();
  app.add_option("--site", options->request.site, "name of a site, or a site file (*.toml)")
      ->capture_default_str();
  app.add_option("-o,--output", options->out, "plan folder (default: the study's name)");
  app.add_option("-S", options->request.overrides,
                 "key=value: change a key of the study, for example -S training.epochs=2")
      ->allow_extra_args(false);
  app.add_flag("--dry-run", options->dry_run, "check and show, write nothing");
  app.add_flag("--json", options->json, "print the plan as JSON instead of the summary");
  return [options] { return plan(*options); };
}

}  // namespace

extern const CommandEntry plan_entry;
const CommandEntry plan_entry{
    .name = "plan",
    .summary = "Turn a study into run descriptions and job scripts",
    .example = "dlscale plan study.toml --site juwels-booster -o juwels",
    .define = &define,
};

}  // namespace dlscale::cli
