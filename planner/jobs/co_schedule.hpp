// SPDX-License-Identifier: Apache-2.0
// Assigns runs to shared nodes, where they run one after another and side by side.
// The problem: runs that fill less than a node should share nodes within a time limit, and sharing
// must not cost more than separate jobs. The idea: place the longest run first, each run on the
// first node with space (first fit), and start it as early as possible. If a shared node would be
// charged more than its runs as separate jobs, try fewer slots, then drop the longest runs.
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
  double alone = 0;     ///< charge for the run as a separate job, in the unit that Charge returns
};

/// Runs of a single node in the order in which they start. A run starts when the previous run has
/// started and enough slots are free. If a run ends earlier than planned, the other runs start at
/// the planned times or earlier.
struct NodePlan {
  std::vector<NodeShare> runs;
  int slots = 0;       ///< largest number of slots in use at the same time
  double seconds = 0;  ///< time at which the last run ends
};

/// Simulates a node that starts the runs in the given order.
NodePlan in_order(std::span<const NodeShare> runs, int slots);

/// Distributes the runs over nodes of `slots` slots so that no node takes longer than `limit_s`.
/// Places the longest run first. A run is placed on the first node with space, as early as
/// possible. Only the most recently opened nodes are searched. Each run must fit an empty node: its
/// slots must be at most `slots` and its seconds at most `limit_s`.
std::vector<NodePlan> co_schedule(std::vector<NodeShare> shares, int slots, double limit_s);

/// Function that returns the charge for a job with the given number of slots and seconds.
using Charge = std::function<double(int slots, double seconds)>;

struct Sharing {
  std::vector<NodePlan> nodes;     ///< nodes with at least two runs
  std::vector<std::size_t> alone;  ///< runs for which no shared node was found
  /// Number of runs in `alone` that would cost more in a packed job.
  std::size_t too_dear = 0;
};

/// Distributes the runs like co_schedule(), but lets runs share a node only if the node is charged
/// at most as much as its runs would be as separate jobs. If a node would be charged more, the
/// function tries fewer slots or fewer of the node's runs.
Sharing share_nodes(std::vector<NodeShare> shares, int slots, double limit_s, const Charge& charge);

}  // namespace dlscale::planner
