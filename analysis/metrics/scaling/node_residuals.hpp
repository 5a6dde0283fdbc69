// SPDX-License-Identifier: Apache-2.0
// Which nodes compute more slowly than the others of the same launches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/frame.hpp"
#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {

/// Of all nodes of a study the chance that any is called slow when all are alike.
inline constexpr double kWrongNodes = 0.05;

enum class NodeFinding {
  Slow,         ///< more time than the others, more often than chance would have it
  StandsOut,    ///< far from the others, in too few launches to rule chance out
  NotSlower,    ///< not told from the others
  TooFewTimes,  ///< no result of so few launches could tell
};

struct NodeResidual {
  std::string host;
  std::size_t ranks = 0;     ///< the most it had in a launch
  std::size_t launches = 0;  ///< in which it could be compared
  /// Time of its slowest rank over that of the other nodes in the same launch (medians over nodes
  /// and epochs), Hodges and Lehmann's centre over the launches.
  Estimate slowdown;
  std::optional<double> z;           ///< modified z among the launch's nodes, median; needs 3 nodes
  double p = 1;                      ///< one-sided: that it is slower
  std::optional<double> adjusted_p;  ///< by Holm, among nodes with enough launches
  double lost_s = 0;  ///< what its launches would have taken less, were it as fast as the next
  double lost_gpu_s = 0;
  NodeFinding finding = NodeFinding::TooFewTimes;
};

struct NodeResiduals {
  std::vector<NodeResidual> nodes;  ///< the slowest first
  int compared = 0;                 ///< launches
  int alone = 0;      ///< launches of a single node, or whose nodes have no work in common
  int unknown = 0;    ///< launches that do not say where their ranks were
  double work_s = 0;  ///< of the slowest rank of each epoch compared, over all launches
};

/// Launches are compared within themselves alone: a node that only had slow runs is not to blame.
NodeResiduals node_residuals(const Frame& frame);

}  // namespace dlscale::analysis
