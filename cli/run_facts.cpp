// SPDX-License-Identifier: Apache-2.0
#include "cli/run_facts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/clock.hpp"
#include "predict/walltime.hpp"

namespace dlscale::cli {
namespace {

/// As the trainer counts them: a ragged end is a step of its own when it is padded.
std::optional<std::int64_t> steps_per_epoch(const contract::RunSpec& run) {
  const std::int64_t samples = run.dataset.train_samples > 0
                                   ? run.dataset.train_samples
                                   : predict::known_train_samples(run.dataset.kind).value_or(0);
  if (samples == 0) return std::nullopt;
  const bool padded = samples % run.global_batch != 0 && run.last_batch == "pad";
  return samples / run.global_batch + (padded ? 1 : 0);
}

std::string text_of(std::optional<std::int64_t> number) {
  return number ? std::to_string(*number) : kUnknownFact;
}

std::optional<std::int64_t> warmup_steps(const contract::RunSpec& run) {
  constexpr double kRounding = 1e-9;  // 0.1 x 30 is three steps, not four
  const auto steps = steps_per_epoch(run);
  if (!steps) return std::nullopt;
  return std::llround(std::ceil(run.warmup_epochs * static_cast<double>(*steps) * (1 - kRounding)));
}

}  // namespace

std::string hours(double gpu_hours) {
  return gpu_hours < 100 ? fmt::format("{:.4g}", gpu_hours) : fmt::format("{:.0f}", gpu_hours);
}

std::vector<RunFact> facts_of(const contract::RunSpec& run, const contract::PlannedRun& planned,
                              const contract::PlannedJob& job) {
  const auto time = [](double seconds) {
    return seconds > 0 ? base::clock_time(seconds) : kUnknownFact;
  };
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  return {
      {"GPUs", std::to_string(run.gpus)},
      {"nodes", std::to_string(job.resources.nodes)},
      {"batch/GPU", std::to_string(run.batch_per_gpu)},
      {"accumulation", std::to_string(run.accumulation_steps)},
      {"global batch", std::to_string(run.global_batch)},
      {"last batch", run.last_batch},
      {"epochs", std::to_string(run.epochs)},
      {"steps/epoch", text_of(steps_per_epoch(run))},
      {"LR base", number(run.lr.base)},
      {"LR rule", run.lr.scale},
      {"LR peak", number(run.lr.peak)},
      {"warm-up steps", text_of(warmup_steps(run))},
      {"walltime", time(job.resources.walltime_s)},
      {"predicted", time(planned.predicted_s)},
      {"GPU-hours", planned.gpu_hours > 0 ? hours(planned.gpu_hours) : kUnknownFact},
  };
}

}  // namespace dlscale::cli
