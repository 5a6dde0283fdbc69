// SPDX-License-Identifier: Apache-2.0
// What a plan may cost in GPU-hours, and which points to leave out when that is too much.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"

namespace dlscale::planner {

/// The cost of the runs that have one value of an axis.
struct FacetCost {
  std::string axis, value;
  std::size_t runs = 0;
  double gpu_hours = 0;
};

/// In the order of the plan's axes and their values; values without runs are left out.
std::vector<FacetCost> cost_by_facet(const contract::Plan& plan);

double total_gpu_hours(std::span<const contract::PlannedRun> runs);

/// False when the cost is above the limit by more than the rounding of a sum of many costs.
bool within_budget(double gpu_hours, double limit);

struct Dropped {
  std::size_t first_run = 0;  ///< index of the point's first repetition; the others go with it
  std::string why;
};

struct Fit {
  std::vector<Dropped> dropped;  ///< in the order they were dropped
  double gpu_hours = 0;          ///< of what is left
};

/// Which points to leave out so that the rest takes at most `limit` GPU-hours. A curve is made of
/// the points that differ in GPUs only. Its smallest and largest counts stay, and `baseline_gpus`;
/// of the other points of all curves the one goes first whose neighbours on its curve are closest
/// (ratio of their GPU counts), of equally close ones the most expensive, so that what stays is
/// spread evenly on the logarithmic axis. When the limit cannot be kept, all of them are dropped
/// and `gpu_hours` is above it. Repetitions of a point stand together, as in a plan.
Fit fit_budget(std::span<const contract::PlannedRun> runs, double limit, int baseline_gpus);

}  // namespace dlscale::planner
