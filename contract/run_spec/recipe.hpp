// SPDX-License-Identifier: Apache-2.0
// Defines how a run learns: learning rate, schedule, optimizer and targets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlscale::contract {

/// Learning rate before the schedule. Between epoch 0 and `warmup_epochs` the rate changes linearly
/// from `base` (or 0) to `peak`. The schedule then starts from `peak`. `peak` is below `base` if
/// the global batch is smaller than the batch that `base` is for.
struct LearningRate {
  double base = 0.1;             ///< rate of one GPU (or of the reference batch)
  double peak = 0.1;             ///< base after scaling, for example base x GPUs
  std::string scale = "linear";  ///< scaling rule from base to peak: linear, sqrt, none
  std::string warmup_from;       ///< start of the warm-up: "zero"; empty: base
  std::string warmup_update;     ///< interval of warm-up changes: "epoch"; empty: each step
  /// Length of the warm-up in steps if the study gives it in steps. It does not depend on the
  /// number of steps per epoch. 0 means that warmup_epochs gives the length.
  std::int64_t warmup_steps = 0;
  bool operator==(const LearningRate&) const = default;
};

/// Learning rate schedule. Each kind reads only its own fields (formulas: docs/metrics.md).
struct LrScheduleSpec {
  std::string kind = "constant";
  std::string update = "step";     ///< interval of changes: "step" (optimizer step), "epoch"
  std::string origin = "start";    ///< epoch 0 of the schedule: "start" or "after_warmup"
  std::vector<double> milestones;  ///< step, multistep: epochs at which `factor` is applied
  double factor = 0.1;             ///< step, multistep: factor of the rate
  double every_epochs = 0;         ///< step without milestones: interval in epochs of `factor`
  double gamma = 0.95;             ///< exponential: factor of the rate per epoch
  double lr_min = 0;               ///< cosine, polynomial: final rate
  double t_max_epochs = 0;         ///< cosine, polynomial: length; 0 = until the end of the run
  double power = 2;                ///< polynomial: exponent
  bool operator==(const LrScheduleSpec&) const = default;
};

/// Options of adam and adamw.
struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool operator==(const AdamOptions&) const = default;
};

/// Options of lars: You, Gitman, Ginsburg, Large Batch Training of Convolutional Networks, 2017.
struct LarsOptions {
  double trust_coefficient = 0.001;
  double epsilon = 1e-8;
  bool operator==(const LarsOptions&) const = default;
};

struct OptimizerSpec {
  std::string kind = "sgd";
  double momentum = 0;
  double dampening = 0;
  bool nesterov = false;
  double weight_decay = 0;
  /// Parameters with weight decay: "weights" means parameters of two or more dimensions, empty
  /// means all parameters.
  std::string decayed;
  AdamOptions adam;
  LarsOptions lars;
  bool operator==(const OptimizerSpec&) const = default;
};

/// Targets of a run. The run records when it reaches them. 0 means that there is no target.
struct TargetSpec {
  double accuracy = 0;  ///< minimum on the test set
  double loss = 0;      ///< maximum on the test set
  double bleu = 0;      ///< minimum for translations of the test set, 0 to 100
  bool stop = false;    ///< true if the run ends when it has reached all its targets
  bool is_set() const { return accuracy > 0 || loss > 0 || bleu > 0; }
  bool operator==(const TargetSpec&) const = default;
};

}  // namespace dlscale::contract
