// SPDX-License-Identifier: Apache-2.0
#include "planner/study/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "predict/walltime.hpp"
#include "validation/settings.hpp"

namespace dlscale::planner {
namespace {

/// Returns the largest divisor of `number` that is at most `most`. Both arguments must be at least
/// 1.
std::int64_t largest_divisor(std::int64_t number, std::int64_t most) {
  if (number <= most) return number;
  std::int64_t best = 1;
  for (std::int64_t d = 1; d <= most && d * d <= number; ++d) {
    if (number % d != 0) continue;
    best = std::max(best, d);
    if (number / d <= most) best = std::max(best, number / d);
  }
  return best;
}

/// Derives the accumulation steps when the global batch and the batch per GPU are given.
void derive_steps(const RequestedBatch& requested_key, int gpus, const std::string& uneven_batch,
                  Batches& out) {
  const bool floor = uneven_batch == "floor";
  const std::int64_t at_once = *requested_key.per_gpu * gpus;
  const auto split = [&] {
    return fmt::format("global_batch {} over {} x batch_per_gpu {}", *requested_key.global,
                       base::count_of(gpus, "GPU"), *requested_key.per_gpu);
  };
  const std::int64_t steps = *requested_key.global / at_once;
  out.accumulation_steps = static_cast<int>(std::max<std::int64_t>(steps, 1));
  if (steps < 1) {
    out.problem = split() + " is less than one step";
  } else if (*requested_key.global % at_once != 0 && floor) {
    out.note = fmt::format("{}: {}, so these runs have global batch {}", split(),
                           base::count_of(steps, "accumulation step"), steps * at_once);
  } else if (*requested_key.global % at_once != 0) {
    out.problem = split() + " does not divide evenly";
    if (uneven_batch == contract::kSpreadBatch) {
      out.problem += "; to spread the batch, give max_batch_per_gpu instead of batch_per_gpu";
    }
  }
}

/// Derives the batch per GPU when only the global batch is given.
void derive_per_gpu(const RequestedBatch& requested_key, int gpus, const std::string& uneven_batch,
                    Batches& out) {
  const bool floor = uneven_batch == "floor", spread = uneven_batch == contract::kSpreadBatch;
  const std::int64_t global = *requested_key.global;
  if (requested_key.most_per_gpu && global >= gpus) {
    const std::int64_t share = global / gpus, most = *requested_key.most_per_gpu;
    const bool even = global % gpus == 0;
    const std::int64_t largest = spread && !even ? share + 1 : share;
    const std::int64_t per_gpu =
        even && !spread ? largest_divisor(share, most) : std::min(largest, most);
    out.accumulation_steps = static_cast<int>((largest + per_gpu - 1) / per_gpu);
  }
  const std::int64_t parts = std::int64_t{gpus} * out.accumulation_steps;
  out.batch_per_gpu = global / parts;
  out.quotient = static_cast<double>(global) / static_cast<double>(parts);
  const auto split = [&] {
    return fmt::format("global_batch {} over {}{}", global, base::count_of(gpus, "GPU"),
                       out.accumulation_steps > 1
                           ? fmt::format(" x {} accumulation steps", out.accumulation_steps)
                           : "");
  };
  if (out.batch_per_gpu < 1) {
    out.problem = split() + " is less than one sample per GPU";
  } else if (global % parts != 0 && spread) {
    out.is_spread = true;
    ++out.batch_per_gpu;
  } else if (global % parts != 0 && floor) {
    out.note = fmt::format("{}: {} per GPU, so these runs have global batch {}", split(),
                           out.batch_per_gpu, out.batch_per_gpu * parts);
  } else if (global % parts != 0) {
    out.problem = split() + " does not divide evenly";
  }
}

}  // namespace

Batches split_batches(const RequestedBatch& requested_key, int gpus,
                      const std::string& uneven_batch) {
  Batches out;
  out.accumulation_steps = requested_key.accumulation_steps.value_or(1);
  if (requested_key.per_gpu) {
    out.batch_per_gpu = *requested_key.per_gpu;
    out.quotient = static_cast<double>(*requested_key.per_gpu);
    if (requested_key.global) derive_steps(requested_key, gpus, uneven_batch, out);
    if (requested_key.most_per_gpu && *requested_key.per_gpu > *requested_key.most_per_gpu) {
      out.problem = fmt::format("batch_per_gpu {} is above max_batch_per_gpu {}",
                                *requested_key.per_gpu, *requested_key.most_per_gpu);
    }
  } else {
    derive_per_gpu(requested_key, gpus, uneven_batch, out);
  }
  const std::int64_t parts = std::int64_t{gpus} * out.accumulation_steps;
  if (__builtin_mul_overflow(out.batch_per_gpu, parts, &out.global_batch)) {
    out.problem = "the global batch is too large";
  }
  if (out.is_spread) out.global_batch = *requested_key.global;
  return out;
}

namespace {

template <class Map>
typename Map::mapped_type value_or_default(const Map& map, const std::string& key) {
  const auto found = map.find(key);
  return found == map.end() ? typename Map::mapped_type{} : found->second;
}

void derive_batches(const Recipe& recipe, const std::string& uneven_batch, Derived& out) {
  contract::RunSpec& run = out.run;
  Batches batches = split_batches(recipe.batch, run.gpus, uneven_batch);
  run.batch_per_gpu = batches.batch_per_gpu;
  run.global_batch = batches.global_batch;
  run.accumulation_steps = batches.accumulation_steps;
  if (batches.is_spread) run.uneven_batch = contract::kSpreadBatch;
  out.note = std::move(batches.note);
  if (const auto conflict = validation::find_uneven_batch_conflict(run)) {
    out.problem = {"global_batch", conflict->key + " " + conflict->reason};
  }
  if (batches.problem.empty()) return;
  out.problem = {recipe.batch.global ? "global_batch" : "batch_per_gpu", batches.problem, true};
}

void derive_learning_rate(const Recipe& recipe, Derived& out) {
  contract::LearningRate& lr = out.run.lr;
  lr.base = recipe.lr_base_per_gpu.value_or(recipe.lr_base.value_or(0));
  const bool scaled = recipe.lr_base_per_gpu || recipe.lr_base_batch;
  const bool as_said = recipe.lr_base || out.run.mode == "inference";
  lr.scale = !recipe.lr_scale.empty() ? recipe.lr_scale : scaled ? "linear" : as_said ? "none" : "";
  const double ratio = recipe.lr_base_batch ? static_cast<double>(out.run.global_batch) /
                                                  static_cast<double>(*recipe.lr_base_batch)
                                            : out.run.gpus;
  lr.peak = lr_peak(lr.base, lr.scale, ratio);
  if (!std::isfinite(lr.peak)) {
    out.problem = {recipe.lr_base ? "lr.base" : "lr.base_per_gpu",
                   fmt::format("{} x {} is not a finite learning rate", lr.base, ratio)};
  }
}

void derive_schedule(const Recipe& recipe, Derived& out) {
  const std::string kind = out.run.lr_schedule.kind;
  contract::LrScheduleSpec schedule = value_or_default(recipe.schedules, kind);
  schedule.kind = kind;
  const bool ours = out.run.trainer.command.empty();
  if (ours && kind == "step" && schedule.milestones.empty() && schedule.every_epochs == 0) {
    out.problem = {"lr_schedule",
                   "the step schedule needs training.schedules.step.milestones or .every_epochs"};
  }
  if (ours && kind == "step" && !schedule.milestones.empty() && schedule.every_epochs > 0) {
    out.problem = {"lr_schedule",
                   "training.schedules.step takes milestones or every_epochs, not both"};
  }
  if (ours && kind == "multistep" && schedule.milestones.empty()) {
    out.problem = {"lr_schedule",
                   "the multistep schedule needs training.schedules.multistep.milestones"};
  }
  out.run.lr_schedule = std::move(schedule);
}

/// Converts warm-up steps to epochs by the known size of the training set. The run also keeps the
/// number of steps. dlscale-train uses this number if the training set turns out to have another
/// size.
void derive_epochs(const Recipe& recipe, Derived& out) {
  if (out.run.steps > 0) out.run.epochs = 0;
  const std::optional<std::int64_t> steps = steps_per_epoch(out.run);
  if (steps == 0) {
    out.problem = {
        recipe.batch.global ? "global_batch" : "batch_per_gpu",
        fmt::format("last_batch \"drop\" leaves no step: {} training samples are fewer than a "
                    "global batch of {}",
                    *train_samples(out.run), out.run.global_batch),
        true};
  } else if (recipe.warmup_steps && !steps) {
    out.problem = {"warmup_steps", fmt::format("the number of samples of {} is unknown; set "
                                               "training.dataset.train_samples, or use "
                                               "warmup_epochs",
                                               out.run.dataset.kind)};
  } else if (recipe.warmup_steps) {
    out.run.warmup_epochs = static_cast<double>(*recipe.warmup_steps) / static_cast<double>(*steps);
    if (out.run.trainer.command.empty()) out.run.lr.warmup_steps = *recipe.warmup_steps;
  }
}

/// Removes the options of other optimizers, so that two runs with the same optimizer are equal.
void derive_optimizer(Derived& out) {
  contract::OptimizerSpec& optimizer = out.run.optimizer;
  if (optimizer.kind != "adam" && optimizer.kind != "adamw") optimizer.adam = {};
  if (optimizer.kind != "lars") optimizer.lars = {};
}

/// Checks the options of the optimizer. Nesterov momentum needs momentum and no dampening. In
/// dlscale-train, only sgd has nesterov and dampening, and only sgd and lars have momentum.
void check_optimizer(Derived& out) {
  const contract::OptimizerSpec& optimizer = out.run.optimizer;
  if (optimizer.nesterov && (optimizer.momentum == 0 || optimizer.dampening != 0)) {
    out.problem = {"optimizer.nesterov", "needs momentum above 0 and dampening 0"};
  }
  const std::string& kind = optimizer.kind;
  if (out.problem || kind == "sgd" || !out.run.trainer.command.empty()) return;
  if (optimizer.nesterov) {
    out.problem = {"optimizer.nesterov", "applies only to sgd; " + kind + " does not support it"};
  } else if (optimizer.dampening != 0) {
    out.problem = {"optimizer.dampening", "applies only to sgd; " + kind + " does not support it"};
  } else if (optimizer.momentum != 0 && kind != "lars") {
    out.problem = {"optimizer.momentum",
                   "applies only to sgd and lars; for " + kind + " use adam.beta1"};
  }
}

void check_target(Derived& out) {
  const contract::TargetSpec& target = out.run.target;
  if (!target.stop || target.is_set()) return;
  out.problem = {"target.stop",
                 "needs target.accuracy, target.loss, target.bleu or target.train_loss"};
}

void check_profile(Derived& out) {
  if (out.run.profile || out.run.profile_epochs == 0) return;
  out.problem = {"profile_epochs", "needs profile = true"};
}

void check_folds(Derived& out) {
  const contract::DatasetSpec& dataset = out.run.dataset;
  if (dataset.folds == 1) {
    out.problem = {"dataset.folds", "must be at least 2, or 0 to use the split of the data files"};
  } else if (dataset.folds > 0 && dataset.fold == 0) {
    out.problem = {
        "dataset.folds",
        fmt::format("needs dataset.fold, the number of the fold that is the test set (1 to {})",
                    dataset.folds)};
  } else if (dataset.fold > 0 && dataset.folds == 0) {
    out.problem = {"dataset.fold", "needs dataset.folds"};
  } else if (dataset.fold > dataset.folds) {
    out.problem = {"dataset.fold", fmt::format("must be at most dataset.folds, {} (got {})",
                                               dataset.folds, dataset.fold)};
  }
}

/// Checks the options for images, most of which require image_size.
void check_pictures(Derived& out) {
  const contract::DatasetSpec& dataset = out.run.dataset;
  const std::pair<const char*, bool> said[] = {{"dataset.resize", dataset.resize > 0},
                                               {"dataset.crop_scale", !dataset.crop_scale.empty()},
                                               {"dataset.crop_ratio", !dataset.crop_ratio.empty()},
                                               {"dataset.resample", !dataset.resample.empty()}};
  for (const auto& [key, is_set] : said) {
    if (!is_set || dataset.image_size > 0) continue;
    out.problem = {
        key, "needs dataset.image_size, the side length of the images that the model receives"};
    return;
  }
  if (dataset.resize > 0 && dataset.resize < dataset.image_size) {
    out.problem = {"dataset.resize", fmt::format("must be at least dataset.image_size, {} (got {})",
                                                 dataset.image_size, dataset.resize)};
  }
}

void derive_model(const Recipe& recipe, Derived& out) {
  if (!out.run.trainer.command.empty()) return;
  out.run.model_options = value_or_default(recipe.model_options, out.run.model);
  if (out.run.model != "frozen_backbone" || !out.run.model_options.backbone.empty()) return;
  out.problem = {"model", "frozen_backbone needs training.models.frozen_backbone.backbone"};
}

}  // namespace

double lr_peak(double base, const std::string& scale, double ratio) {
  if (scale == "linear") return base * ratio;
  if (scale == "sqrt") return base * std::sqrt(ratio);
  return base;
}

std::optional<std::int64_t> train_samples(const contract::RunSpec& run) {
  return predict::train_samples(run.dataset);
}

std::optional<std::int64_t> steps_per_epoch(const contract::RunSpec& run) {
  const std::optional<std::int64_t> samples = train_samples(run);
  if (!samples) return std::nullopt;
  const bool ragged = *samples % run.global_batch != 0;
  return *samples / run.global_batch + (ragged && run.last_batch != "drop" ? 1 : 0);
}

Derived derive(Recipe recipe, const std::string& uneven_batch) {
  Derived out{.run = std::move(recipe.run)};
  out.run.framework_options = value_or_default(recipe.framework_options, out.run.framework);
  derive_batches(recipe, uneven_batch, out);
  if (!out.problem) derive_learning_rate(recipe, out);
  if (!out.problem) derive_schedule(recipe, out);
  if (!out.problem) derive_epochs(recipe, out);
  derive_optimizer(out);
  if (!out.problem) check_optimizer(out);
  if (!out.problem) check_target(out);
  if (!out.problem) check_profile(out);
  if (!out.problem) check_folds(out);
  if (!out.problem) check_pictures(out);
  if (!out.problem) derive_model(recipe, out);
  return out;
}

}  // namespace dlscale::planner
