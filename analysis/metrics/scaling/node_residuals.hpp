// SPDX-License-Identifier: Apache-2.0
// Finds nodes that compute more slowly than the other nodes of the same launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Probability that any node of a study is called slow although all nodes are alike.
inline constexpr double kWrongNodes = 0.05;

enum class NodeFinding {
  Slow,         ///< node that is slower than the others more often than by chance
  StandsOut,    ///< node far from the others, in too few launches to exclude chance
  NotSlower,    ///< node that cannot be distinguished from the others
  TooFewTimes,  ///< node with too few launches for any result to be significant
};

struct NodeResidual {
  std::string host;
  std::size_t ranks = 0;     ///< largest number of ranks in a launch
  std::size_t launches = 0;  ///< number of launches in which the node was compared
  /// Time of the node's slowest rank divided by that of the other nodes in the same launch (medians
  /// over nodes and epochs). The value is Hodges and Lehmann's centre over the launches.
  Estimate slowdown;
  std::optional<double> z;           ///< median modified z among the launch's nodes; needs 3 nodes
  double p = 1;                      ///< one-sided p value that the node is slower
  std::optional<double> adjusted_p;  ///< p value adjusted by Holm, for nodes with enough launches
  double lost_s = 0;  ///< time that launches would save if the node were as fast as the next
  double lost_gpu_s = 0;
  NodeFinding finding = NodeFinding::TooFewTimes;
};

struct NodeResiduals {
  std::vector<NodeResidual> nodes;  ///< nodes, slowest first
  int compared = 0;                 ///< number of compared launches
  int alone = 0;      ///< launches of a single node, or whose nodes have no work in common
  int unknown = 0;    ///< launches without recorded hosts
  double work_s = 0;  ///< time of the slowest rank of each compared epoch, over all launches
};

/// Returns the residuals of all nodes. Nodes are compared only within a launch, so that a node is
/// not blamed for taking part in slow runs.
NodeResiduals node_residuals(const Frame& frame);

}  // namespace dlscale::analysis
