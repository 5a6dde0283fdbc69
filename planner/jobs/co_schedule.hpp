// SPDX-License-Identifier: Apache-2.0
// Which runs share a node, one after the other and side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace dlscale::planner {

/// A run that fills less than a node.
struct NodeShare {
  std::size_t run = 0;  ///< the caller's number
  int slots = 1;        ///< GPUs (ranks) it takes
  double seconds = 0;   ///< how long
  double alone = 0;     ///< what it is charged as a job of its own, in the unit of Charge
};

/// One node's worth of runs, in the order they start: each as soon as enough slots are free and
/// the one before it has started. In this order no run that ends early makes another one late.
struct NodePlan {
  std::vector<NodeShare> runs;
  int slots = 0;       ///< most slots in use at a time
  double seconds = 0;  ///< when the last run has ended
};

/// Plays the runs in their order.
NodePlan in_order(std::span<const NodeShare> runs, int slots);

/// First fit (of the latest nodes), the longest run first and each as early as there is room for
/// it, into nodes of `slots` slots such that none takes longer than `limit_s`. Every share fits a
/// node by itself: slots and seconds are within the limits.
std::vector<NodePlan> co_schedule(std::vector<NodeShare> shares, int slots, double limit_s);

/// What a job of so many slots is charged for so many seconds.
using Charge = std::function<double(int slots, double seconds)>;

struct Sharing {
  std::vector<NodePlan> nodes;     ///< of two runs or more
  std::vector<std::size_t> alone;  ///< runs for which no such node was found
  std::size_t too_dear = 0;        ///< those of `alone` that could have shared, at a higher price
};

/// As co_schedule, but no node is charged more than its runs alone: where it would be, fewer slots
/// or fewer of its runs are tried.
Sharing share_nodes(std::vector<NodeShare> shares, int slots, double limit_s, const Charge& charge);

}  // namespace dlscale::planner
