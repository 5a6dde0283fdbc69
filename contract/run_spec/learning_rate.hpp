// SPDX-License-Identifier: Apache-2.0
// Defines the learning rate as a function of time in epochs, and the table of schedules.
#pragma once

#include <cstdint>

#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::contract {

struct ScheduleContext {
  const LrScheduleSpec& spec;
  double peak = 0;   ///< peak learning rate, LR_max in the formulas
  double t_max = 1;  ///< length of the schedule in epochs
};

struct LrScheduleEntry {
  const char* name;
  const char* summary;
  /// Returns the learning rate `t` epochs after the origin of the schedule, t >= 0. The function is
  /// pure.
  double (*rate)(const ScheduleContext& context, double t);
};

base::Table<LrScheduleEntry> lr_schedule_table();

/// Tolerance in epochs when a position is compared with the epoch at which a schedule changes. The
/// tolerance is needed because step / steps_per_epoch is rounded.
inline constexpr double kEpochSlack = 1e-9;

/// Returns the number of optimizer steps of a run.
std::int64_t run_steps(const RunSpec& spec, std::int64_t steps_per_epoch);

/// Returns the number of epochs of a run. The last epoch may be incomplete.
int run_epochs(const RunSpec& spec, std::int64_t steps_per_epoch);

/// Returns the length of a run in epochs, which is a fraction if the last epoch is incomplete.
double length_in_epochs(const RunSpec& spec, std::int64_t steps_per_epoch);

/// Learning rate of one run: a warm-up followed by a schedule. Let e = step / steps_per_epoch, W
/// the number of warm-up epochs, and first the base rate or 0. While e < W the rate is first +
/// (peak - first) e / W. Then the rate is schedule(e), or schedule(e - W) with origin
/// "after_warmup". During warm-up, e is rounded down to whole epochs if warmup_update is "epoch".
/// After warm-up, e is rounded down if update is "epoch".
class LearningRateCurve {
 public:
  /// Creates the curve. Throws base::UsageError if this build lacks the schedule.
  LearningRateCurve(const RunSpec& spec, std::int64_t steps_per_epoch);
  /// Returns the learning rate of optimizer step `step`, which counts from 0 over the whole run.
  double at_step(std::int64_t step) const;
  /// Returns the number of steps of the whole run before the schedule sets the learning rate.
  std::int64_t warmup_steps() const;

 private:
  LrScheduleSpec spec_;
  const LrScheduleEntry& schedule_;
  double first_;  ///< learning rate at the start of the warm-up
  double peak_;
  bool warms_up_by_epochs_;
  double warmup_epochs_;
  double t_max_;
  double epochs_;
  double steps_per_epoch_;
};

}  // namespace dlscale::contract
