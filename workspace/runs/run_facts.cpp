// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/run_facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "planner/study/derive.hpp"
#include "workspace/runs/plan_folder.hpp"

namespace dlscale::workspace {
namespace {

std::string text_of(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : kUnknownFact;
}

std::optional<std::int64_t> warmup_steps(const contract::RunSpec& run) {
  constexpr double kRounding = 1e-9;  // 0.1 x 30 is three steps, not four
  const auto steps = planner::steps_per_epoch(run);
  const bool said = run.trainer.command.empty() || run.warmup_epochs > 0;
  if (!steps || !said) return std::nullopt;
  const double epochs = std::min(run.warmup_epochs, static_cast<double>(run.epochs));
  return std::llround(std::ceil(epochs * static_cast<double>(*steps) * (1 - kRounding)));
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

}  // namespace

std::string hours(double gpu_hours) {
  return gpu_hours < 100 ? fmt::format("{:.4g}", gpu_hours) : fmt::format("{:.0f}", gpu_hours);
}

std::string predicted_text(const contract::PlannedRun& run) {
  if (run.predicted_s <= 0) return kUnknownFact;
  if (run.predicted_high_s <= 0) {
    return base::clock_time(run.predicted_s) + " (band not recorded: an earlier version's plan)";
  }
  return fmt::format("{} ({} to {})", base::clock_time(run.predicted_s),
                     base::clock_time(run.predicted_low_s), base::clock_time(run.predicted_high_s));
}

std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job) {
  const auto time = [](double seconds) {
    return seconds > 0 ? base::clock_time(seconds) : kUnknownFact;
  };
  const auto said = [](const std::string& text) { return text.empty() ? kUnknownFact : text; };
  const auto rate = [&](double value) {
    return run.lr.scale.empty() ? kUnknownFact : fmt::format("{:.6g}", value);
  };
  return {
      {"GPUs", std::to_string(run.gpus)},
      {"nodes", std::to_string(job.resources.nodes)},
      {"batch/GPU", std::to_string(run.batch_per_gpu)},
      {"accumulation", std::to_string(run.accumulation_steps)},
      {"global batch", std::to_string(run.global_batch)},
      {"last batch", said(run.last_batch)},
      {"epochs", run.epochs > 0 ? std::to_string(run.epochs) : kUnknownFact},
      {"steps/epoch", text_of(planner::steps_per_epoch(run))},
      {"LR base", rate(run.lr.base)},
      {"LR rule", said(run.lr.scale)},
      {"LR peak", rate(run.lr.peak)},
      {"warm-up steps", text_of(warmup_steps(run))},
      {"walltime", time(job.resources.walltime_s)},
      {"predicted", predicted_text(planned)},
      {"GPU-hours", planned.gpu_hours > 0 ? hours(planned.gpu_hours) : kUnknownFact},
  };
}

ShownRuns::ShownRuns(const contract::Plan& plan, const contract::PlanDir& folder,
                     const std::vector<const contract::PlannedRun*>& runs)
    : plan_(plan), folder_(folder), tables_(plan, folder) {
  for (const contract::PlannedJob& job : plan.jobs) jobs_.emplace(job.name, &job);
  contract::Plan alone;
  for (const contract::PlannedRun* run : runs) alone.runs.push_back(*run);
  states_ = runner::run_states(alone, folder);
}

contract::RunSpec ShownRuns::description(const contract::PlannedRun& run) {
  return read_run(folder_, tables_, run.run_id);
}

const contract::PlannedJob& ShownRuns::job_of(const contract::PlannedRun& run) const {
  if (const auto found = jobs_.find(run.job); found != jobs_.end()) return *found->second;
  throw base::SpecError({"plan.json"}, "jobs",
                        fmt::format("no job {}, which is to run {}", run.job, run.run_id));
}

std::vector<RunFact> ShownRuns::facts(const contract::PlannedRun& run) {
  const contract::PlannedJob& job = job_of(run);
  const contract::RunSpec spec = description(run);
  std::vector<RunFact> facts{
      {"state", to_string(states_.at(run.run_id))},
      {"point", describe_point(run)},
      {"repetition", fmt::format("{} of {}", run.repetition, plan_.repeats)}};
  if (!run.substudies.empty()) {
    facts.push_back({"sub-studies", fmt::format("{}", fmt::join(run.substudies, ", "))});
  }
  if (run.stale) facts.push_back({"stale", "its results are of an earlier description"});
  const std::vector<RunFact> derived = facts_of(spec, run, job);
  facts.insert(facts.end(), derived.begin(), derived.end());
  facts.push_back({"job", describe_job(job, run)});
  facts.push_back({"resources", describe_resources(job, spec)});
  if (!job.after.empty()) facts.push_back({"after", fmt::format("{}", fmt::join(job.after, ", "))});
  facts.push_back({"script", folder_.job_script(job.name).string()});
  facts.push_back({"folder", folder_.run(run.run_id).root().string()});
  return facts;
}

}  // namespace dlscale::workspace
