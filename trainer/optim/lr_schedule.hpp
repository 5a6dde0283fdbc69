// SPDX-License-Identifier: Apache-2.0
// The learning rate as a function of time in epochs; and the table of schedules.
#pragma once

#include <cstdint>

#include "base/registry.hpp"
#include "contract/run_spec.hpp"

namespace dlscale::trainer {

struct ScheduleContext {
  const contract::LrScheduleSpec& spec;
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
/// epochs, base + (peak - base) e / W while e < W, then schedule(e), or schedule(e - W) with origin
/// "after_warmup". With update "epoch" e is rounded down to whole epochs.
class LearningRateCurve {
 public:
  /// Throws base::UsageError when this build lacks the schedule.
  LearningRateCurve(const contract::RunSpec& spec, std::int64_t steps_per_epoch);
  /// `step` counts optimizer steps from 0 over the whole run.
  double at_step(std::int64_t step) const;

 private:
  contract::LrScheduleSpec spec_;
  const LrScheduleEntry& schedule_;
  contract::LearningRate rate_;
  double warmup_epochs_;
  double t_max_;
  double steps_per_epoch_;
};

}  // namespace dlscale::trainer
