// SPDX-License-Identifier: Apache-2.0
#include "planner/derive.hpp"

#include <fmt/format.h>

#include <cmath>

namespace dlscale::planner {
namespace {

template <class Map>
typename Map::mapped_type value_or_default(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type{} : found->second;
}

void derive_batches(const Recipe& recipe, const std::string& uneven_batch, Derived& out) {
  contract::RunSpec& run = out.run;
  const std::int64_t parts = std::int64_t{run.gpus} * run.accumulation_steps;
  if (recipe.batch_per_gpu) {
    run.batch_per_gpu = *recipe.batch_per_gpu;
  } else {
    const std::int64_t global = *recipe.global_batch;
    run.batch_per_gpu = global / parts;
    const std::string split = fmt::format(
        "global_batch {} over {} {}{}", global, run.gpus, run.gpus == 1 ? "GPU" : "GPUs",
        run.accumulation_steps > 1 ? fmt::format(" x {} accumulation steps", run.accumulation_steps)
                                   : "");
    if (run.batch_per_gpu < 1) {
      out.batch_problem = split + " is less than one sample per GPU";
    } else if (global % parts != 0 && uneven_batch == "floor") {
      out.note = fmt::format("{}: {} per GPU, so these runs have global batch {}", split,
                             run.batch_per_gpu, run.batch_per_gpu * parts);
    } else if (global % parts != 0) {
      out.batch_problem = split + " does not divide evenly";
    }
  }
  if (__builtin_mul_overflow(run.batch_per_gpu, parts, &run.global_batch)) {
    out.batch_problem = "the global batch is too large";
  }
}

void derive_learning_rate(const Recipe& recipe, contract::RunSpec& run) {
  run.lr.base = recipe.lr_base_per_gpu ? *recipe.lr_base_per_gpu : *recipe.lr_base;
  run.lr.scale = !recipe.lr_scale.empty() ? recipe.lr_scale
                 : recipe.lr_base_per_gpu ? "linear"
                                          : "none";
  run.lr.peak = lr_peak(run.lr.base, run.lr.scale, run.gpus);
}

void derive_schedule(const Recipe& recipe, Derived& out) {
  const std::string kind = out.run.lr_schedule.kind;
  contract::LrScheduleSpec schedule = value_or_default(recipe.schedules, kind);
  schedule.kind = kind;
  if (kind == "step" && schedule.milestones.empty() && schedule.every_epochs == 0) {
    out.schedule_problem =
        "the step schedule needs training.schedules.step.milestones or .every_epochs";
  }
  if (kind == "multistep" && schedule.milestones.empty()) {
    out.schedule_problem = "the multistep schedule needs training.schedules.multistep.milestones";
  }
  out.run.lr_schedule = std::move(schedule);
}

}  // namespace

double lr_peak(double base, const std::string& scale, int gpus) {
  if (scale == "linear") return base * gpus;
  if (scale == "sqrt") return base * std::sqrt(static_cast<double>(gpus));
  return base;
}

Derived derive(const Recipe& recipe, const std::string& uneven_batch) {
  Derived out{.run = recipe.run};
  out.run.framework_options = value_or_default(recipe.framework_options, out.run.framework);
  derive_batches(recipe, uneven_batch, out);
  derive_learning_rate(recipe, out.run);
  derive_schedule(recipe, out);
  return out;
}

}  // namespace dlscale::planner
