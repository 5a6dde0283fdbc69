// SPDX-License-Identifier: Apache-2.0
#include "cli/plan_show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "cli/completer.hpp"
#include "cli/plan_folder.hpp"
#include "cli/run_facts.hpp"
#include "runner/run_states.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

using Runs = std::vector<const contract::PlannedRun*>;

struct Options {
  std::vector<std::string> words;
  bool json = false;
};

/// The words, the first of which may be a plan folder.
struct Request {
  contract::PlanDir folder{"."};
  std::vector<std::string> runs;

  explicit Request(std::vector<std::string> words) : runs(std::move(words)) {
    if (!runs.empty() && fs::exists(contract::PlanDir(fs::path(runs.front())).plan_json())) {
      folder = contract::PlanDir(fs::path(runs.front()));
      runs.erase(runs.begin());
    }
    if (runs.empty())
      throw base::UsageError("plan show wants a run: an id, its beginning or a glob");
  }
};

template <class Predicate>
Runs runs_where(const contract::Plan& plan, Predicate holds) {
  Runs found;
  for (const contract::PlannedRun& run : plan.runs) {
    if (holds(run.run_id)) found.push_back(&run);
  }
  return found;
}

[[noreturn]] void refuse_ambiguous(const std::string& word, const Runs& found) {
  throw base::UsageError(fmt::format(
      "{} runs begin with {}: {}, {}{}; say more of it, or '{}*' for all of them", found.size(),
      word, found[0]->run_id, found[1]->run_id, found.size() > 2 ? ", …" : "", word));
}

/// The runs that an id, the beginning of one id or a glob stands for.
Runs runs_called(const contract::Plan& plan, const std::string& word) {
  Runs found = runs_where(
      plan, [&](const std::string& id) { return ::fnmatch(word.c_str(), id.c_str(), 0) == 0; });
  if (!found.empty()) return found;
  found = runs_where(plan, [&](const std::string& id) { return id.starts_with(word); });
  if (found.size() > 1) refuse_ambiguous(word, found);
  if (!found.empty()) return found;
  throw base::RunError(fmt::format("no run is called {}; dlscale list shows all", word),
                       kExitNothingMatched);
}

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

std::string describe_resources(const contract::PlannedJob& job) {
  const contract::ResourceRequest& asked = job.resources;
  std::string text =
      fmt::format("{} node{} x {} rank{} x {} core{}", asked.nodes, asked.nodes == 1 ? "" : "s",
                  asked.ranks_per_node, asked.ranks_per_node == 1 ? "" : "s", asked.cores_per_rank,
                  asked.cores_per_rank == 1 ? "" : "s");
  if (!job.partition.empty()) text += " of " + job.partition;
  return fmt::format("{}, {} over {}", text, asked.device, asked.communicator);
}

void print_run(const contract::Plan& plan, const contract::PlanDir& folder,
               const contract::PlannedRun& run) {
  const contract::PlannedJob& job = job_of(plan, run);
  const contract::RunSpec spec = read_run(folder, plan, run);
  contract::Plan alone;
  alone.runs = {run};
  const runner::JobState state = runner::run_states(alone, folder).at(run.run_id);
  std::vector<RunFact> facts{{"state", to_string(state)},
                             {"point", describe_point(run)},
                             {"repetition", fmt::format("{} of {}", run.repetition, plan.repeats)}};
  if (!run.substudies.empty()) {
    facts.push_back({"sub-studies", fmt::format("{}", fmt::join(run.substudies, ", "))});
  }
  if (run.stale) facts.push_back({"stale", "its results are of an earlier description"});
  const std::vector<RunFact> derived = facts_of(spec, run, job);
  facts.insert(facts.end(), derived.begin(), derived.end());
  facts.push_back({"job", describe_job(job, run)});
  facts.push_back({"resources", describe_resources(job)});
  if (!job.after.empty()) facts.push_back({"after", fmt::format("{}", fmt::join(job.after, ", "))});
  facts.push_back({"script", folder.job_script(job.name).string()});
  facts.push_back({"folder", folder.run(run.run_id).root().string()});
  std::cout << run.run_id << '\n';
  for (const RunFact& fact : facts) std::cout << fmt::format("  {:<15}{}\n", fact.name, fact.value);
}

int show(const Options& options) {
  const Request request(options.words);
  const contract::Plan plan = contract::read_plan(request.folder);
  for (const std::string& word : request.runs) {
    for (const contract::PlannedRun* run : runs_called(plan, word)) {
      if (options.json) {
        std::cout << to_json(read_run(request.folder, plan, *run));
      } else {
        print_run(plan, request.folder, *run);
      }
    }
  }
  return kExitOk;
}

}  // namespace

Action define_plan_show(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("RUN", options->words,
                 "plan folder (default: the current one), then ids of runs, their beginnings or "
                 "globs")
      ->type_name(value_kind::kFolderOrRun);
  app.add_flag("--json", options->json, "the run descriptions (run.json) instead");
  app.footer(
      "Example:\n"
      "  dlscale plan show demo 'ddp-mlp-*-r1'\n"
      "A study file that is called show is planned with: dlscale plan ./show");
  return [options] { return show(*options); };
}

}  // namespace dlscale::cli
