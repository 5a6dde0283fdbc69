// SPDX-License-Identifier: Apache-2.0
// How a run learns: rate, schedule, optimizer, and what it is to reach.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dlscale::contract {

/// Learning rate before the schedule. Between epoch 0 and `warmup_epochs` it goes linearly from
/// `base` (or 0) to `peak` (which is below `base` where the global batch is below the one that
/// `base` is for); the schedule then starts from `peak`.
struct LearningRate {
  double base = 0.1;             ///< the rate of one GPU (or of the reference batch)
  double peak = 0.1;             ///< base after scaling, for example base x GPUs
  std::string scale = "linear";  ///< the rule that led from base to peak: linear, sqrt, none
  std::string warmup_from;       ///< where warm-up begins: "zero"; empty: at base
  std::string warmup_update;     ///< "epoch": warm-up goes in one step an epoch; empty: each step
  /// How long warm-up is where the study counts it in steps, however many an epoch turns out to
  /// have; 0: warmup_epochs.
  std::int64_t warmup_steps = 0;
  bool operator==(const LearningRate&) const = default;
};

/// LR schedule; each kind reads only its own fields (formulas: docs/metrics.md).
struct LrScheduleSpec {
  std::string kind = "constant";
  std::string update = "step";     ///< "step": at each optimizer step; "epoch": once an epoch
  std::string origin = "start";    ///< epoch 0 of the schedule: "start" or "after_warmup"
  std::vector<double> milestones;  ///< step, multistep: epochs at which `factor` is applied
  double factor = 0.1;             ///< step, multistep
  double every_epochs = 0;         ///< step without milestones: apply `factor` each so many epochs
  double gamma = 0.95;             ///< exponential
  double lr_min = 0;               ///< cosine, polynomial
  double t_max_epochs = 0;         ///< cosine, polynomial: length; 0 = the run's epochs
  double power = 2;                ///< polynomial
  bool operator==(const LrScheduleSpec&) const = default;
};

/// adam, adamw.
struct AdamOptions {
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  bool operator==(const AdamOptions&) const = default;
};

/// lars: You, Gitman, Ginsburg, Large Batch Training of Convolutional Networks, 2017.
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
  std::string
      decayed;  ///< what decays: "weights", parameters of two or more dimensions; empty: all
  AdamOptions adam;
  LarsOptions lars;
  bool operator==(const OptimizerSpec&) const = default;
};

/// What a run is to reach; when it does is recorded. 0: nothing.
struct TargetSpec {
  double accuracy = 0;  ///< of the test set, at least
  double loss = 0;      ///< of the test set, at most
  double bleu = 0;      ///< of translations of the test set, 0 to 100, at least
  bool stop = false;    ///< the run ends when it has reached all that is set
  bool is_set() const { return accuracy > 0 || loss > 0 || bleu > 0; }
  bool operator==(const TargetSpec&) const = default;
};

}  // namespace dlscale::contract
