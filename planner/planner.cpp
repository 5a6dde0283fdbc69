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

struct Knowledge {
  contract::Capabilities capabilities;
  std::string file;
};

/// What the site's trainer can do, if that is known: from the site's file, else from the build
/// beside when it computes on the site's device.
std::optional<Knowledge> trainer_of(const Site& site, const Resources& resources) {
  fs::path file = site.capabilities;
  if (file.empty() && resources.capabilities) file = *resources.capabilities;
  if (file.empty()) return std::nullopt;
  Knowledge known{contract::capabilities_from_json(base::read_file(file), file.string()),
                  file.string()};
  const bool ours = !site.capabilities.empty() || known.capabilities.has("device", site.device);
  return ours ? std::optional(known) : std::nullopt;
}

/// One warning for each name that the site's trainer lacks, with the number of runs it concerns.
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
    warnings.push_back(fmt::format("the trainer has no {} \"{}\": {} of {} runs would fail ({})",
                                   name.first, name.second, count, runs.size(), known.file));
  }
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
  const std::string study_text = base::read_file(request.study);
  const Study study = read_study(study_text, request.study.string(), request.overrides);
  const fs::path site_path = site_file(request.site, resources.sites);
  const std::string site_text = base::read_file(site_path);
  const Expansion expansion = expand(study);
  if (expansion.points.empty()) {
    throw base::SpecError({study.file}, "", "every point of the study is left out");
  }

  Planning planning;
  planning.site = read_site(site_text, site_path);
  if (planning.site.trainer.empty()) {
    const bool local = planning.site.scheduler == "local" && resources.trainer;
    planning.site.trainer =
        local ? fs::absolute(*resources.trainer).lexically_normal().string() : "dlscale-train";
  }
  planning.plan = plan_of(study, planning.site, expansion);
  add_runs(study, expansion, planning);
  check_budget(study, planning.plan);
  warn_of_baseline(planning.plan, planning.plan.warnings);
  if (const auto known = trainer_of(planning.site, resources)) {
    warn_of_missing(planning.runs, *known, planning.plan.warnings);
  }
  planning.study_toml = with_overrides(study_text, request.overrides);
  planning.site_toml = site_text;
  return planning;
}

}  // namespace dlscale::planner
