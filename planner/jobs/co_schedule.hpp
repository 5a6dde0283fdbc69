// SPDX-License-Identifier: Apache-2.0
// Assigns runs to shared nodes, where they run one after another and side by side.
// The problem: runs that fill less than a node should share nodes within a time limit, and sharing
// must not cost more than separate jobs. The idea: place the runs with first fit, longest run
// first, and start each run as early as there is room. When a node would be charged more than its
// runs as separate jobs, try fewer slots, then drop the longest runs.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace dlscale::planner {

/// Run that fills less than a node.
struct NodeShare {
  std::size_t run = 0;  ///< number of the run, assigned by the caller
  int slots = 1;        ///< number of GPUs (ranks) of the run
  double seconds = 0;   ///< duration of the run
  double alone = 0;     ///< charge for the run as a separate job, in the unit of Charge
};

/// Runs of a single node in the order in which they start. Each run starts as soon as enough slots
/// are free and the previous run has started. In this order a run that ends early never delays
/// another run.
struct NodePlan {
  std::vector<NodeShare> runs;
  int slots = 0;       ///< largest number of slots in use at the same time
  double seconds = 0;  ///< time at which the last run ends
};

/// Simulates a node that starts the runs in the given order.
NodePlan in_order(std::span<const NodeShare> runs, int slots);

/// Distributes the runs over nodes of `slots` slots so that no node takes longer than `limit_s`.
/// Places the longest run first, on the first node with room (among the latest nodes), as early as
/// there is room. Each share must fit a node without other runs: its slots and seconds must be
/// within the limits.
std::vector<NodePlan> co_schedule(std::vector<NodeShare> shares, int slots, double limit_s);

/// Function that returns the charge for a job with the given number of slots and seconds.
using Charge = std::function<double(int slots, double seconds)>;

struct Sharing {
  std::vector<NodePlan> nodes;     ///< nodes with at least two runs
  std::vector<std::size_t> alone;  ///< runs for which no shared node was found
  std::size_t too_dear = 0;        ///< number of runs in `alone` that cost more when packed
};

/// Distributes the runs like co_schedule, but charges no node more than its runs as separate jobs.
/// Where a node would be charged more, tries fewer slots or fewer of its runs.
Sharing share_nodes(std::vector<NodeShare> shares, int slots, double limit_s, const Charge& charge);

}  // namespace dlscale::planner
