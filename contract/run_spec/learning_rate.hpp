// SPDX-License-Identifier: Apache-2.0
// The learning rate as a function of time in epochs; and the table of schedules.
#pragma once

#include <cstdint>

#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

struct ScheduleContext {
  const LrScheduleSpec& spec;
  double peak = 0;   ///< LR_max
  double t_max = 1;  ///< epochs the schedule is made for
};

struct LrScheduleEntry {
  const char* name;
  const char* summary;
  /// The rate `t` epochs after the schedule's origin, t >= 0. A pure function.
  double (*rate)(const ScheduleContext& context, double t);
};

base::Table<LrScheduleEntry> lr_schedule_table();

/// Epochs at which schedules change are compared with this much slack, since step / steps_per_epoch
/// is rounded.
inline constexpr double kEpochSlack = 1e-9;

/// Warm-up followed by a schedule, for one run: with e = step / steps_per_epoch and W warm-up
/// epochs, first + (peak - first) e / W while e < W, first being the base or 0; then schedule(e),
/// or schedule(e - W) with origin "after_warmup". e is rounded down to whole epochs: in warm-up
/// with warmup_update "epoch", afterwards with update "epoch".
class LearningRateCurve {
 public:
  /// Throws base::UsageError when this build lacks the schedule.
  LearningRateCurve(const RunSpec& spec, std::int64_t steps_per_epoch);
  /// `step` counts optimizer steps from 0 over the whole run.
  double at_step(std::int64_t step) const;
  /// Steps of the whole run before the schedule sets the rate.
  std::int64_t warmup_steps() const;

 private:
  LrScheduleSpec spec_;
  const LrScheduleEntry& schedule_;
  double first_;  ///< where warm-up begins
  double peak_;
  bool warms_up_by_epochs_;
  double warmup_epochs_;
  double t_max_;
  double epochs_;
  double steps_per_epoch_;
};

}  // namespace dlscale::contract
