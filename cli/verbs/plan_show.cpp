// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs/plan_show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/options/completer.hpp"
#include "cli/options/selection_options.hpp"
#include "runner/status/run_states.hpp"
#include "workspace/runs/named_runs.hpp"
#include "workspace/runs/plan_folder.hpp"
#include "workspace/runs/run_facts.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::cli {
namespace {

using Runs = std::vector<const contract::PlannedRun*>;

struct ShowOptions {
  std::vector<std::string> words;
  workspace::SelectionChoice choice;
  bool json = false;
};

std::string describe_point(const contract::PlannedRun& run) {
  std::vector<std::string> parts;
  for (const auto& [axis, value] : run.point) parts.push_back(axis + "=" + value);
  return fmt::format("{}", fmt::join(parts, " "));
}

std::string describe_job(const contract::PlannedJob& job, const contract::PlannedRun& run) {
  const auto place = std::find(job.run_ids.begin(), job.run_ids.end(), run.run_id);
  const auto number = place - job.run_ids.begin() + 1;
  switch (job.kind) {
    case contract::JobKind::packed:
      return fmt::format("{}, shared by {} runs", job.name, job.run_ids.size());
    case contract::JobKind::array:
      return fmt::format("task {} of {}, array {}", number, job.run_ids.size(), job.name);
    case contract::JobKind::single:
      break;
  }
  return job.name;
}

std::string describe_resources(const contract::PlannedJob& job, const contract::RunSpec& run) {
  const contract::ResourceRequest& asked = job.resources;
  std::string text = fmt::format("{} x {} x {}", base::count_of(asked.nodes, "node"),
                                 base::count_of(asked.ranks_per_node, "rank"),
                                 base::count_of(asked.cores_per_rank, "core"));
  if (!job.partition.empty()) text += " of " + job.partition;
  text += ", " + asked.device;
  const bool ours = run.trainer.command.empty();  // how another's ranks talk is its own affair
  return ours ? text + " over " + asked.communicator : text;
}

/// What is asked of each run that is shown, read once for all of them.
class Shown {
 public:
  Shown(const contract::Plan& plan, const contract::PlanDir& folder, const Runs& runs)
      : plan_(plan), folder_(folder), tables_(plan, folder) {
    for (const contract::PlannedJob& job : plan.jobs) jobs_.emplace(job.name, &job);
    contract::Plan alone;
    for (const contract::PlannedRun* run : runs) alone.runs.push_back(*run);
    states_ = runner::run_states(alone, folder);
  }

  contract::RunSpec description(const contract::PlannedRun& run) {
    return workspace::read_run(folder_, tables_, run.run_id);
  }
  std::vector<workspace::RunFact> facts(const contract::PlannedRun& run);

 private:
  const contract::PlannedJob& job_of(const contract::PlannedRun& run) const {
    if (const auto found = jobs_.find(run.job); found != jobs_.end()) return *found->second;
    throw base::SpecError({"plan.json"}, "jobs",
                          fmt::format("no job {}, which is to run {}", run.job, run.run_id));
  }

  const contract::Plan& plan_;
  const contract::PlanDir& folder_;
  contract::RunTables tables_;
  std::unordered_map<std::string_view, const contract::PlannedJob*> jobs_;  // by name
  runner::States states_;                                                   // by run id
};

std::vector<workspace::RunFact> Shown::facts(const contract::PlannedRun& run) {
  const contract::PlannedJob& job = job_of(run);
  const contract::RunSpec spec = description(run);
  std::vector<workspace::RunFact> facts{
      {"state", to_string(states_.at(run.run_id))},
      {"point", describe_point(run)},
      {"repetition", fmt::format("{} of {}", run.repetition, plan_.repeats)}};
  if (!run.substudies.empty()) {
    facts.push_back({"sub-studies", fmt::format("{}", fmt::join(run.substudies, ", "))});
  }
  if (run.stale) facts.push_back({"stale", "its results are of an earlier description"});
  const std::vector<workspace::RunFact> derived = workspace::facts_of(spec, run, job);
  facts.insert(facts.end(), derived.begin(), derived.end());
  facts.push_back({"job", describe_job(job, run)});
  facts.push_back({"resources", describe_resources(job, spec)});
  if (!job.after.empty()) facts.push_back({"after", fmt::format("{}", fmt::join(job.after, ", "))});
  facts.push_back({"script", folder_.job_script(job.name).string()});
  facts.push_back({"folder", folder_.run(run.run_id).root().string()});
  return facts;
}

int show(const ShowOptions& options) {
  const workspace::NamedRuns request(options.words);
  if (request.names.empty() && !options.choice.narrows()) {
    throw base::UsageError(
        "plan show wants a run: an id, its beginning or a glob, or a selection (--where)");
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
  Shown shown(plan, request.folder, runs);
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
  app.add_option("RUN", options->words,
                 "plan folder (default: the current one), then ids of runs, their beginnings or "
                 "globs")
      ->type_name(value_kind::kFolderOrRun);
  app.add_flag("--json", options->json, "the run descriptions (run.json) instead");
  add_selection_options(app, options->choice, RunArguments::none);
  app.footer(
      "Example:\n"
      "  dlscale plan show demo 'ddp-mlp-*-r1'\n"
      "  dlscale plan show demo --where 'gpus == 2 && repetition == 1'\n"
      "A study file that is called show is planned with: dlscale plan ./show");
  return [options] { return show(*options); };
}

}  // namespace dlscale::cli
