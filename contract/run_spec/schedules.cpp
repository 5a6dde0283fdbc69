// SPDX-License-Identifier: Apache-2.0
// Defines the bundled schedules. Each schedule gives the learning rate t epochs after its origin.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "contract/run_spec/learning_rate.hpp"

namespace dlscale::contract {
namespace {

/// Returns the peak rate LR_max.
double constant(const ScheduleContext& context, double) {
  return context.peak;
}

double milestones_passed(const LrScheduleSpec& spec, double t) {
  return static_cast<double>(std::ranges::count_if(
      spec.milestones, [t](double milestone) { return t + kEpochSlack >= milestone; }));
}

/// Returns LR_max x factor^k, where k is the number of passed milestones, or of passed multiples of
/// every_epochs.
double step(const ScheduleContext& context, double t) {
  const LrScheduleSpec& spec = context.spec;
  const bool is_regular = spec.milestones.empty() && spec.every_epochs > 0;
  const double passed =
      is_regular ? std::floor(t / spec.every_epochs + kEpochSlack) : milestones_passed(spec, t);
  return context.peak * std::pow(spec.factor, passed);
}

/// Returns LR_max x factor^k, where k is the number of passed milestones. PyTorch's MultiStepLR
/// computes the same rate.
double multistep(const ScheduleContext& context, double t) {
  return context.peak * std::pow(context.spec.factor, milestones_passed(context.spec, t));
}

/// Returns LR_min + (LR_max - LR_min) (1 + cos(pi t / t_max)) / 2, and LR_min after t_max: Aach et
/// al., J. Big Data 10:96 (2023), equation 1.
double cosine(const ScheduleContext& context, double t) {
  const double low = context.spec.lr_min;
  const double share = std::min(t / context.t_max, 1.0);
  return low + (context.peak - low) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

/// Returns LR_max x gamma^t: Aach et al., J. Big Data 10:96 (2023), equation 2.
double exponential(const ScheduleContext& context, double t) {
  return context.peak * std::pow(context.spec.gamma, t);
}

/// Returns LR_min + (LR_max - LR_min) (1 - t / t_max)^power, and LR_min after t_max. With power 2
/// and LR_min 0 this is the decay of You et al., Large Batch Training of Convolutional Networks
/// (2017).
double polynomial(const ScheduleContext& context, double t) {
  const double low = context.spec.lr_min;
  const double left = std::max(1 - t / context.t_max, 0.0);
  return low + (context.peak - low) * std::pow(left, context.spec.power);
}

}  // namespace

extern const LrScheduleEntry constant_entry, step_entry, multistep_entry, cosine_entry,
    exponential_entry, polynomial_entry;
const LrScheduleEntry constant_entry{"constant", "constant peak rate", constant};
const LrScheduleEntry step_entry{"step", "multiplied by a factor at the given epochs", step};
const LrScheduleEntry multistep_entry{"multistep", "multiplied by a factor at each milestone",
                                      multistep};
const LrScheduleEntry cosine_entry{"cosine", "half a cosine period from the peak to lr_min",
                                   cosine};
const LrScheduleEntry exponential_entry{"exponential",
                                        "multiplied by gamma per epoch, continuously", exponential};
const LrScheduleEntry polynomial_entry{
    "polynomial", "from the peak to lr_min with a power of the remaining share of t_max",
    polynomial};

}  // namespace dlscale::contract
