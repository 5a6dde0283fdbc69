// SPDX-License-Identifier: Apache-2.0
// Which runs share a node, one after the other and side by side.
#pragma once

#include <cstddef>
#include <vector>

namespace dlscale::planner {

/// A run that fills less than a node.
struct NodeShare {
  std::size_t run = 0;  ///< the caller's number
  int slots = 1;        ///< GPUs (ranks) it takes
  double seconds = 0;   ///< how long
};

/// One node's worth of runs, in the order they start: each as soon as enough slots are free and
/// the one before it has started.
struct NodePlan {
  std::vector<NodeShare> runs;
  int slots = 0;       ///< most slots in use at a time
  double seconds = 0;  ///< when the last run has ended
};

/// First fit, the longest run first, into nodes of `slots` slots such that none takes longer than
/// `limit_s`. Every share fits a node by itself: slots and seconds are within the limits.
std::vector<NodePlan> co_schedule(std::vector<NodeShare> shares, int slots, double limit_s);

}  // namespace dlscale::planner
