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
  std::string warmup_from;       ///< start of the warm-up: "zero"; empty = base
  std::string warmup_update;     ///< interval of changes during warm-up: "epoch"; empty = each step
  /// Length of the warm-up in steps, if the study gives the length in steps. 0 means that
  /// warmup_epochs gives the length.
  std::int64_t warmup_steps = 0;
  bool operator==(const LearningRate&) const = default;
};

/// Learning rate schedule. Each kind reads only its own fields (formulas: docs/metrics.md).
struct LrScheduleSpec {
  std::string kind = "constant";
  std::string update = "step";   ///< interval of changes: "step" (each optimizer step), "epoch"
  std::string origin = "start";  ///< start of the schedule: "start" (of the run), "after_warmup"
  /// For step and multistep: epochs at which the rate is multiplied by `factor`.
  std::vector<double> milestones;
  double factor = 0.1;  ///< step, multistep: number by which the rate is multiplied
  /// For step without milestones: epochs between multiplications by `factor`.
  double every_epochs = 0;
  /// For exponential: number by which the rate is multiplied in each epoch.
  double gamma = 0.95;
  double lr_min = 0;  ///< cosine, polynomial: final rate
  /// For cosine and polynomial: length in epochs. 0 means until the end of the run.
  double t_max_epochs = 0;
  double power = 2;  ///< polynomial: exponent
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
  double accuracy = 0;  ///< minimum accuracy on the test set
  double loss = 0;      ///< maximum loss on the test set
  double bleu = 0;      ///< minimum BLEU of translations of the test set, 0 to 100
  /// Maximum mean training loss of a step window. The other targets are compared with evaluations.
  double train_loss = 0;
  bool stop = false;  ///< true if the run ends when it has reached all its targets
  bool is_set() const { return accuracy > 0 || loss > 0 || bleu > 0 || train_loss > 0; }
  bool operator==(const TargetSpec&) const = default;
};

}  // namespace dlscale::contract
