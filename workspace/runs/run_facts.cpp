// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/clock.hpp"
#include "planner/study/derive.hpp"

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

}  // namespace dlscale::workspace
