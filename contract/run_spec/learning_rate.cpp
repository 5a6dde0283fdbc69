// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/learning_rate.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::contract {
namespace {

/// Returns the length of the warm-up in epochs. A study can give the warm-up in steps. The number
/// of steps then stays the same if the data set has another size.
double warmup_of(const RunSpec& spec, std::int64_t steps_per_epoch) {
  const std::int64_t steps = spec.lr.warmup_steps;
  if (steps == 0) return spec.warmup_epochs;
  return static_cast<double>(steps) / static_cast<double>(steps_per_epoch);
}

/// Returns the length of the schedule in epochs: the length that the study states, else the epochs
/// of the run. A schedule that starts after the warm-up has only the remaining epochs.
double length_of(const RunSpec& spec, double epochs, double warmup_epochs) {
  if (spec.lr_schedule.t_max_epochs > 0) return spec.lr_schedule.t_max_epochs;
  const double left = epochs - warmup_epochs;
  return spec.lr_schedule.origin == "after_warmup" && left > 0 ? left : epochs;
}

}  // namespace

std::int64_t run_steps(const RunSpec& spec, std::int64_t steps_per_epoch) {
  return spec.steps > 0 ? spec.steps : spec.epochs * steps_per_epoch;
}

int run_epochs(const RunSpec& spec, std::int64_t steps_per_epoch) {
  if (spec.steps == 0) return spec.epochs;
  return static_cast<int>((spec.steps + steps_per_epoch - 1) / steps_per_epoch);
}

double length_in_epochs(const RunSpec& spec, std::int64_t steps_per_epoch) {
  if (spec.steps == 0) return spec.epochs;
  return static_cast<double>(spec.steps) / static_cast<double>(steps_per_epoch);
}

LearningRateCurve::LearningRateCurve(const RunSpec& spec, std::int64_t steps_per_epoch)
    : spec_(spec.lr_schedule),
      schedule_(base::find(lr_schedule_table(), "lr_schedule", spec.lr_schedule.kind)),
      first_(spec.lr.warmup_from == "zero" ? 0 : spec.lr.base),
      peak_(spec.lr.peak),
      warms_up_by_epochs_(spec.lr.warmup_update == "epoch"),
      warmup_epochs_(warmup_of(spec, steps_per_epoch)),
      t_max_(length_of(spec, length_in_epochs(spec, steps_per_epoch), warmup_epochs_)),
      epochs_(length_in_epochs(spec, steps_per_epoch)),
      steps_per_epoch_(static_cast<double>(steps_per_epoch)) {}

double LearningRateCurve::at_step(std::int64_t step) const {
  const double e = static_cast<double>(step) / steps_per_epoch_;
  const double epoch = std::floor(e + kEpochSlack);
  if (e < warmup_epochs_) {
    const double done = warms_up_by_epochs_ ? epoch : e;
    return first_ + (peak_ - first_) * done / warmup_epochs_;
  }
  const double t = spec_.update == "epoch" ? epoch : e;
  const double origin = spec_.origin == "after_warmup" ? warmup_epochs_ : 0;
  return schedule_.rate({spec_, peak_, t_max_}, std::max(0.0, t - origin));
}

std::int64_t LearningRateCurve::warmup_steps() const {
  const double epochs = std::min(warmup_epochs_, epochs_);
  auto steps = static_cast<std::int64_t>(std::ceil(epochs * steps_per_epoch_));
  const auto epoch_of = [this](std::int64_t step) {
    return static_cast<double>(step) / steps_per_epoch_;
  };
  // The product is rounded, so `steps` can be off by one.
  while (steps > 0 && epoch_of(steps - 1) >= epochs) --steps;
  while (epoch_of(steps) < epochs) ++steps;
  return steps;
}

}  // namespace dlscale::contract
