// SPDX-License-Identifier: Apache-2.0
#include "planner/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "base/file.hpp"
#include "contract/capabilities.hpp"
#include "contract/run_id.hpp"
#include "planner/dataset_path.hpp"
#include "planner/expand.hpp"
#include "planner/resources.hpp"
#include "planner/shell_text.hpp"
#include "planner/site_reader.hpp"
#include "planner/study_reader.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

constexpr double kSecondsPerHour = 3600;

/// What is known of a trainer: the site's own, or the one built here, or both in one.
struct Knowledge {
  contract::Capabilities capabilities;
  std::string file;
  bool built_here;
  bool runs_there;  ///< it is the site's
};

/// A file the user named: that it cannot be read is a fault of the command line.
std::string read_named_file(const fs::path& file) {
  try {
    return base::read_file(file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

/// True for a site that runs the trainer built here.
bool uses_trainer_here(const Site& site, const Resources& resources) {
  return site.trainer.empty() && site.scheduler == "local" && resources.trainer;
}

/// From the site's file, else from the build here, if there is one.
std::optional<Knowledge> known_trainer(const Site& site, const Resources& resources) {
  if (!site.capabilities.empty()) {
    const std::string text = read_named_file(site.capabilities);
    return Knowledge{contract::capabilities_from_json(text, site.capabilities), site.capabilities,
                     false, true};
  }
  if (!resources.capabilities) return std::nullopt;
  const std::string file = resources.capabilities->string();
  return Knowledge{contract::capabilities_from_json(base::read_file(file), file), file, true,
                   uses_trainer_here(site, resources)};
}

/// One warning for each name that the trainer lacks, with the number of runs it concerns.
void warn_of_missing(const std::vector<contract::RunSpec>& runs, const Knowledge& known,
                     std::vector<std::string>& warnings) {
  std::map<std::pair<std::string, std::string>, int> missing;
  for (const contract::RunSpec& run : runs) {
    const std::pair<const char*, std::string> names[] = {
        {"framework", run.framework},
        {"model", run.model},
        {"loader", run.loader},
        {"lr_schedule", run.lr_schedule.kind},
        {"dataset", run.dataset.kind},
        {"optimizer", run.optimizer.kind},
        {"communicator", run.resources.communicator},
        {"device", run.resources.device}};
    for (const auto& [family, name] : names) {
      if (!known.capabilities.has(family, name)) ++missing[{family, name}];
    }
  }
  for (const auto& [name, count] : missing) {
    warnings.push_back(
        known.runs_there
            ? fmt::format("the trainer has no {} \"{}\": {} of {} runs would fail ({})", name.first,
                          name.second, count, runs.size(), known.file)
            : fmt::format(
                  "the trainer built here has no {} \"{}\" (this site's may): {} of {} runs",
                  name.first, name.second, count, runs.size()));
  }
}

void warn_of_accumulation(const std::vector<contract::RunSpec>& runs, const Knowledge& known,
                          std::vector<std::string>& warnings) {
  const auto count = std::count_if(runs.begin(), runs.end(),
                                   [](const auto& run) { return run.accumulation_steps > 1; });
  if (!known.built_here || count == 0) return;
  warnings.push_back(
      fmt::format("the trainer built here refuses accumulation_steps above 1{}: {} of {} runs{}",
                  known.runs_there ? "" : " (this site's may not)", count, runs.size(),
                  known.runs_there ? " would fail" : ""));
}

void warn_of_warmup(const std::vector<contract::RunSpec>& runs,
                    std::vector<std::string>& warnings) {
  const auto count = std::count_if(runs.begin(), runs.end(),
                                   [](const auto& run) { return run.warmup_epochs >= run.epochs; });
  if (count == 0) return;
  warnings.push_back(
      fmt::format("the peak learning rate is never reached, for warmup_epochs is not below epochs: "
                  "{} of {} runs",
                  count, runs.size()));
}

void add_job(const contract::RunSpec& run, Planning& planning) {
  const double gpu_hours = run.gpus * run.resources.walltime_s / kSecondsPerHour;
  planning.plan.jobs.push_back({run.run_id, {run.run_id}, run.resources});
  planning.plan.runs.push_back({.run_id = run.run_id,
                                .repetition = run.repetition,
                                .point = run.point,
                                .job = run.run_id,
                                .gpus = run.gpus,
                                .batch_per_gpu = run.batch_per_gpu,
                                .global_batch = run.global_batch,
                                .lr_peak = run.lr.peak,
                                .gpu_hours = gpu_hours});
}

void add_runs(const Study& study, const Expansion& expansion, Planning& planning) {
  std::map<int, Allocation> allocations;  // by GPU count: points share their shape
  for (const ExpandedPoint& point : expansion.points) {
    contract::RunSpec run = point.run;
    const auto known = allocations.find(run.gpus);
    const Allocation& allocation =
        known != allocations.end() ? known->second
                                   : allocations
                                         .emplace(run.gpus, allocate(planning.site, study.resources,
                                                                     {*point.gpus, "matrix.gpus"}))
                                         .first->second;
    run.resources = allocation.request;
    run.dataset.path = fill_in_variables(run.dataset.path, planning.site.variables);
    for (run.repetition = 1; run.repetition <= study.repeats; ++run.repetition) {
      run.run_id = contract::make_run_id(run);
      contract::validate(run, study.file);
      add_job(run, planning);
      planning.runs.push_back(run);
      if (allocation.partition) {
        planning.job_partitions.push_back(*allocation.partition);
      }
    }
  }
}

void check_budget(const Study& study, const contract::Plan& plan) {
  if (!study.resources.max_gpu_hours) return;
  const Item limit{*study.resources.max_gpu_hours, "resources.max_gpu_hours"};
  const bool bounded = std::all_of(plan.runs.begin(), plan.runs.end(),
                                   [](const auto& run) { return run.gpu_hours > 0; });
  if (!bounded) limit.fail("cannot be checked: neither study nor site says a walltime");
  const double needed =
      std::accumulate(plan.runs.begin(), plan.runs.end(), 0.0,
                      [](double sum, const auto& run) { return sum + run.gpu_hours; });
  if (needed > limit.number(0)) {
    limit.fail(
        fmt::format("the plan may take up to {:.0f} GPU-hours (every run for its whole "
                    "walltime), the limit is {:g}",
                    needed, limit.number(0)));
  }
}

void warn_of_baseline(const contract::Plan& plan, std::vector<std::string>& warnings) {
  if (plan.baseline.rule != "gpus") return;
  const bool planned = std::any_of(plan.runs.begin(), plan.runs.end(),
                                   [&](const auto& run) { return run.gpus == plan.baseline.gpus; });
  if (!planned) {
    warnings.push_back(
        fmt::format("no run has the baseline's {} GPUs: there will be no speed-up "
                    "to compute",
                    plan.baseline.gpus));
  }
}

contract::Plan plan_of(const Study& study, const Site& site, const Expansion& expansion) {
  contract::Plan plan;
  plan.study = study.name;
  plan.scaling = study.scaling;
  plan.site = site.name;
  plan.scheduler = site.scheduler;
  plan.baseline = study.baseline;
  plan.repeats = study.repeats;
  for (const StudyAxis& axis : study.axes) {
    contract::Axis shown{axis.name(), {}};
    for (const Node& value : axis.values) shown.values.push_back(to_text(value));
    plan.axes.push_back(std::move(shown));
  }
  plan.skipped = expansion.skipped;
  plan.warnings = expansion.notes;
  return plan;
}

/// The study as it was read, below a note of what the command line changed.
std::string with_overrides(const std::string& study, const std::vector<std::string>& overrides) {
  if (overrides.empty()) return study;
  std::string note = "# Planned with changes from the command line, which are not in this text:\n";
  for (const std::string& assignment : overrides) {
    note += "#   -S " + shell_quote(assignment) + "\n";
  }
  return note + "\n" + study;
}

}  // namespace

Planning make_plan(const PlanRequest& request, const Resources& resources) {
  const std::string study_text = read_named_file(request.study);
  const Study study = read_study(study_text, request.study.string(), request.overrides);
  const fs::path site_path = site_file(request.site, resources.sites);
  const std::string site_text = read_named_file(site_path);
  const Expansion expansion = expand(study);
  if (expansion.points.empty()) {
    throw base::SpecError({study.file}, "", "every point of the study is left out");
  }

  Planning planning;
  planning.site = read_site(site_text, site_path);
  const auto known = known_trainer(planning.site, resources);
  if (planning.site.trainer.empty()) {
    planning.site.trainer = uses_trainer_here(planning.site, resources)
                                ? fs::absolute(*resources.trainer).lexically_normal().string()
                                : "dlscale-train";
  }
  planning.plan = plan_of(study, planning.site, expansion);
  add_runs(study, expansion, planning);
  check_budget(study, planning.plan);
  warn_of_baseline(planning.plan, planning.plan.warnings);
  warn_of_warmup(planning.runs, planning.plan.warnings);
  if (known) {
    warn_of_missing(planning.runs, *known, planning.plan.warnings);
    warn_of_accumulation(planning.runs, *known, planning.plan.warnings);
  }
  planning.study_toml = with_overrides(study_text, request.overrides);
  planning.site_toml = site_text;
  return planning;
}

}  // namespace dlscale::planner
