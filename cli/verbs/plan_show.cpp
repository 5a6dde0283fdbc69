// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/plan_show.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

using Runs = std::vector<const contract::PlannedRun*>;

struct ShowOptions {
  std::vector<std::string> words;
  workspace::SelectionChoice choice;
  bool json = false;
};

int show(const ShowOptions& options) {
  const workspace::NamedRuns request(options.words);
  if (request.names.empty() && !options.choice.narrows()) {
    throw base::UsageError("plan show: name a run by its id, a prefix or a glob, or use --where");
  }
  const contract::Plan plan = contract::read_plan(request.folder);
  Runs runs;
  for (const std::string& name : request.names) {
    const Runs called = workspace::runs_called(plan, name);
    runs.insert(runs.end(), called.begin(), called.end());
  }
  if (options.choice.narrows()) {
    if (request.names.empty()) runs = workspace::runs_called(plan, "*");
    const workspace::RunIds chosen = workspace::select_runs(plan, options.choice);
    std::erase_if(runs, [&](const auto* run) { return !chosen.contains(run->run_id); });
  }
  workspace::ShownRuns shown(plan, request.folder, runs);
  for (const contract::PlannedRun* run : runs) {
    if (options.json) {
      std::cout << to_json(shown.description(*run));
      continue;
    }
    std::cout << run->run_id << '\n';
    for (const workspace::RunFact& fact : shown.facts(*run)) {
      std::cout << fmt::format("  {:<15}{}\n", fact.name, fact.value);
    }
  }
  return kExitOk;
}

}  // namespace

Action define_plan_show(CLI::App& app) {
  const auto options = std::make_shared<ShowOptions>();
  app.add_option(
         "RUN", options->words,
         "plan folder (default: the current folder), then run ids, prefixes of run ids or globs")
      ->type_name(value_kind::kFolderOrRun);
  app.add_flag("--json", options->json, "print the run descriptions (run.json) as JSON");
  add_selection_options(app, options->choice, RunArguments::none);
  app.footer(
      "Example:\n  dlscale plan show demo 'ddp-mlp-*-r1'\n  dlscale plan show demo --where 'gpus "
      "== 2 && repetition == 1'\nFor a study file named show: dlscale plan ./show");
  return [options] { return show(*options); };
}

}  // namespace dlscale::cli
