// SPDX-License-Identifier: Apache-2.0
// Computes the cost of a plan in GPU-hours and selects the points to leave out when the cost
// exceeds the budget.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"

namespace dlscale::planner {

/// Number and cost of the runs that have the same value of an axis.
struct FacetCost {
  std::string axis, value;
  std::size_t runs = 0;
  double gpu_hours = 0;
};

/// Returns the cost of the runs for each value of each axis, in the order of the plan's axes and
/// their values. Values without runs are left out.
std::vector<FacetCost> cost_by_facet(const contract::Plan& plan);

double total_gpu_hours(std::span<const contract::PlannedRun> runs);

/// Returns whether a cost is within the limit. A cost above the limit is accepted if the excess is
/// as small as the rounding error of a sum of many costs.
bool within_budget(double gpu_hours, double limit);

struct Dropped {
  std::size_t first_run = 0;  ///< index of the point's first repetition in `runs`
  std::string why;
};

struct Fit {
  std::vector<Dropped> dropped;  ///< points in the order they were dropped
  double gpu_hours = 0;          ///< cost of the remaining runs
};

/// Selects the points to leave out so that the remaining runs take at most `limit` GPU-hours. A
/// curve consists of the points that differ only in their number of GPUs.
/// - The smallest and the largest GPU count of each curve stay, and so do points with
///   `baseline_gpus` GPUs.
/// - Each other point has a distance between its two neighbours on the curve: the ratio of their
///   GPU counts. The point with the smallest ratio of all curves is left out first. Among points
///   with equal ratios, the most expensive point is left out first.
/// - The remaining points are then spread evenly on the logarithmic axis of GPU counts.
/// - If the limit cannot be met, all removable points are left out and `gpu_hours` is above the
///   limit.
/// The repetitions of a point must be adjacent in `runs`, as in a plan.
Fit fit_budget(std::span<const contract::PlannedRun> runs, double limit, int baseline_gpus);

}  // namespace dlscale::planner
