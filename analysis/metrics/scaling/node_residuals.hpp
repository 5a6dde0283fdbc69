// SPDX-License-Identifier: Apache-2.0
// Finds nodes that compute more slowly than the other nodes of the same launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Largest accepted probability that some node of a study is reported as slow although all nodes
/// are equally fast.
inline constexpr double kWrongNodes = 0.05;

enum class NodeFinding {
  Slow,         ///< node that is slow more often than chance explains
  StandsOut,    ///< much slower node, with too few launches to exclude chance
  NotSlower,    ///< node that cannot be distinguished from the other nodes
  TooFewTimes,  ///< node with too few launches for a significant result
};

struct NodeResidual {
  std::string host;
  std::size_t ranks = 0;     ///< largest number of ranks on the node in one launch
  std::size_t launches = 0;  ///< number of launches in which the node was compared with others
  /// Ratio of two times in the same launch: the time of the slowest rank on this node, and the
  /// median of that time over the other nodes. The ratio of a launch is the median over its epochs.
  /// The value is Hodges and Lehmann's centre of the launches' ratios.
  Estimate slowdown;
  /// Modified z-score of the node among the nodes of a launch: median over the launches with at
  /// least 3 nodes.
  std::optional<double> z;
  double p = 1;                      ///< one-sided p value that the node is slower
  std::optional<double> adjusted_p;  ///< p value adjusted by Holm, for nodes with enough launches
  /// Seconds that the launches would save if the node were as fast as the next slowest node.
  double lost_s = 0;
  double lost_gpu_s = 0;
  NodeFinding finding = NodeFinding::TooFewTimes;
};

struct NodeResiduals {
  std::vector<NodeResidual> nodes;  ///< nodes, slowest first
  int compared = 0;                 ///< number of launches whose nodes were compared
  int alone = 0;    ///< number of launches with one node or without comparable nodes
  int unknown = 0;  ///< number of launches that did not record the hosts of their ranks
  /// Work time of the slowest rank in seconds, summed over all compared epochs of all launches.
  double work_s = 0;
};

/// Returns the slowdown of each node. Nodes are compared only within a launch, so that a node does
/// not appear slow because it took part in slow runs.
NodeResiduals node_residuals(const Frame& frame);

}  // namespace dlscale::analysis
