// SPDX-License-Identifier: Apache-2.0
// Learning-rate schedule with a cooldown: LR = LR_max until the cooldown begins, then linearly to
// LR_min at t_max (Haegele et al., Scaling Laws and Compute-Optimal Training Beyond Fixed Training
// Durations, 2024).
// A learning-rate schedule is one pure function. Its caller handles the warm-up, the epoch from
// which the schedule counts (`origin`) and changes that happen only between epochs (`update`).
#include "contract/run_spec/learning_rate.hpp"

// A member of a family is defined in the namespace of the family.
namespace dlscale::contract {
namespace {

constexpr double kSharePeak = 0.8;  // default start of the cooldown, as a share of t_max

/// Returns the learning rate `t` epochs after the origin of the schedule, for any t >= 0 including
/// values above t_max. `context.spec` contains the schedule's settings from the study. Each
/// schedule reads the settings that it needs.
double rate(const ScheduleContext& context, double t) {
  const LrScheduleSpec& spec = context.spec;
  const double begin =
      spec.milestones.empty() ? kSharePeak * context.t_max : spec.milestones.front();
  if (t >= context.t_max) return spec.lr_min;
  if (t <= begin) return context.peak;
  const double left = (context.t_max - t) / (context.t_max - begin);
  return spec.lr_min + (context.peak - spec.lr_min) * left;
}

}  // namespace

// Row in the table of learning-rate schedules. The name of the row must be <name of the
// file>_entry. The first value of the row is the name of the schedule in a study.
extern const LrScheduleEntry cooldown_entry;
const LrScheduleEntry cooldown_entry{"cooldown", "the peak rate, then linearly to lr_min", rate};

}  // namespace dlscale::contract
