// SPDX-License-Identifier: Apache-2.0
#include "contract/learning_rate.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::contract {
namespace {

/// The epochs that a schedule has left, unless the study says how long it is.
double length_of(const RunSpec& spec) {
  if (spec.lr_schedule.t_max_epochs > 0) return spec.lr_schedule.t_max_epochs;
  const double left = spec.epochs - spec.warmup_epochs;
  return spec.lr_schedule.origin == "after_warmup" && left > 0 ? left : spec.epochs;
}

}  // namespace

LearningRateCurve::LearningRateCurve(const RunSpec& spec, std::int64_t steps_per_epoch)
    : spec_(spec.lr_schedule),
      schedule_(base::find(lr_schedule_table(), "lr_schedule", spec.lr_schedule.kind)),
      first_(spec.lr.warmup_from == "zero" ? 0 : spec.lr.base),
      peak_(spec.lr.peak),
      warms_up_by_epochs_(spec.lr.warmup_update == "epoch"),
      warmup_epochs_(spec.warmup_epochs),
      t_max_(length_of(spec)),
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

}  // namespace dlscale::contract
