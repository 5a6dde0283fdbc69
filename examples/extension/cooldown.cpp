// SPDX-License-Identifier: Apache-2.0
// LR = LR_max until the cooldown begins, then linearly to LR_min at t_max: Haegele et al., Scaling
// Laws and Compute-Optimal Training Beyond Fixed Training Durations (2024).
// A learning-rate schedule is one pure function. What calls it has dealt with the warm-up, with the
// epoch that the schedule counts from (`origin`) and with changing between epochs only (`update`).
#include "contract/run_spec/learning_rate.hpp"

// A member of a family lives in the namespace of the family.
namespace dlscale::contract {
namespace {

constexpr double kSharePeak = 0.8;  // of t_max, where the study says no milestone

/// The rate `t` epochs after the schedule's origin: any t >= 0, also after t_max. What a study says
/// of the schedule is in `context.spec`, of which each schedule reads what it needs.
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

// The row of the table: <name of the file>_entry. Its first word is what a study calls it.
extern const LrScheduleEntry cooldown_entry;
const LrScheduleEntry cooldown_entry{"cooldown", "the peak rate, then linearly to lr_min", rate};

}  // namespace dlscale::contract
