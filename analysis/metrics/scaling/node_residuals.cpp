// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/node_residuals.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

/// Work time in seconds of the slowest rank on a node in one epoch, by pipeline stage. The other
/// ranks of a stage wait for the slowest rank, so a node with one slow GPU is a slow node.
using StageTimes = std::map<int, double>;

/// Comparison of a node with the other nodes of one launch.
struct NodeInLaunch {
  /// Ratios of this node's time to the median time of the other nodes, one for each epoch and
  /// stage.
  std::vector<double> ratios;
  std::size_t ranks = 0;
  double lost_s = 0;
};
using Nodes = std::map<std::string, NodeInLaunch>;

struct Seen {
  std::vector<Block> blocks;
  std::vector<double> log_ratios;
  std::vector<double> z;
};

std::map<std::string, StageTimes> by_node(const LaunchRanks& launch, const RankEpoch& epoch) {
  std::map<std::string, StageTimes> nodes;
  for (std::size_t rank = 0; rank < epoch.work_s.size(); ++rank) {
    const double work_s = epoch.work_s[rank];
    if (!(work_s > 0)) continue;
    const int stage = launch.stages > 0 ? static_cast<int>(rank) % launch.stages : 0;
    double& slowest = nodes[launch.hosts[rank]][stage];
    slowest = std::max(slowest, work_s);
  }
  return nodes;
}

/// Returns the median of the sorted times without the entry at index `out`.
double median_without(const std::vector<std::pair<double, std::string>>& sorted, std::size_t out) {
  const std::size_t rest = sorted.size() - 1;
  const auto at = [&](std::size_t i) { return sorted[i < out ? i : i + 1].first; };
  return (at((rest - 1) / 2) + at(rest / 2)) / 2;
}

/// Compares the times of all nodes that have ranks of this pipeline stage, and adds the results to
/// `nodes`.
void compare_stage(const std::map<std::string, StageTimes>& times, int stage, Nodes& nodes) {
  std::vector<std::pair<double, std::string>> sorted;
  for (const auto& [host, stages] : times) {
    const auto own = stages.find(stage);
    if (own != stages.end()) sorted.emplace_back(own->second, host);
  }
  if (sorted.size() < 2) return;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    nodes[sorted[i].second].ratios.push_back(sorted[i].first / median_without(sorted, i));
  }
  // All ranks wait for the slowest node. If it were as fast as the second slowest node, the
  // difference between their times would be saved.
  const auto last = sorted.rbegin();
  nodes[last->second].lost_s += last->first - std::next(last)->first;
}

Nodes nodes_of(const LaunchRanks& launch, double& work_s) {
  Nodes nodes;
  for (const RankEpoch& epoch : launch.epochs) {
    if (epoch.work_s.size() != launch.hosts.size()) continue;
    const std::map<std::string, StageTimes> times = by_node(launch, epoch);
    for (int stage = 0; stage < std::max(1, launch.stages); ++stage) {
      compare_stage(times, stage, nodes);
    }
    if (times.size() > 1) work_s += *std::max_element(epoch.work_s.begin(), epoch.work_s.end());
  }
  for (auto& [host, node] : nodes) {
    node.ranks =
        static_cast<std::size_t>(std::count(launch.hosts.begin(), launch.hosts.end(), host));
  }
  return nodes;
}

class Pool {
 public:
  void add(const LaunchRanks& launch) {
    if (launch.hosts.empty()) {
      ++found_.unknown;
      return;
    }
    const Nodes nodes = nodes_of(launch, found_.work_s);
    if (nodes.empty()) {
      ++found_.alone;
      return;
    }
    ++found_.compared;
    std::vector<double> logs;
    for (const auto& [host, node] : nodes) logs.push_back(std::log(median(node.ratios)));
    const std::vector<double> z = modified_z(logs);
    std::size_t own = 0;
    for (const auto& [host, node] : nodes) {
      Seen& seen = seen_[host];
      seen.blocks.push_back({logs, own});
      seen.log_ratios.push_back(logs[own]);
      if (logs.size() > 2) seen.z.push_back(z[own]);
      NodeResidual& residual = residuals_[host];
      residual.ranks = std::max(residual.ranks, node.ranks);
      residual.lost_s += node.lost_s;
      residual.lost_gpu_s += node.lost_s * static_cast<double>(launch.hosts.size());
      ++own;
    }
  }

  NodeResiduals judged() {
    for (auto& [host, residual] : residuals_) {
      const Seen& seen = seen_[host];
      residual.host = host;
      residual.launches = seen.blocks.size();
      residual.slowdown = hodges_lehmann_center(seen.log_ratios);
      for (double* value : {&residual.slowdown.value, &residual.slowdown.interval.low,
                            &residual.slowdown.interval.high}) {
        *value = std::exp(*value);
      }
      if (!seen.z.empty()) residual.z = median(seen.z);
      residual.p = p_of_high_ranks(seen.blocks);
    }
    adjust();
    for (auto& [host, residual] : residuals_) found_.nodes.push_back(std::move(residual));
    std::stable_sort(found_.nodes.begin(), found_.nodes.end(),
                     [](const NodeResidual& a, const NodeResidual& b) {
                       return a.slowdown.value > b.slowdown.value;
                     });
    return std::move(found_);
  }

 private:
  /// Adjusts the p values for the number of tested nodes and sets the findings. Nodes with too few
  /// launches for a significant result are not counted as tested.
  void adjust() {
    std::vector<NodeResidual*> judged;
    std::vector<double> p;
    for (auto& [host, residual] : residuals_) {
      if (residual.z > kOutlyingZ) residual.finding = NodeFinding::StandsOut;
      if (smallest_p_of_ranks(seen_[host].blocks) > kWrongNodes) continue;
      judged.push_back(&residual);
      p.push_back(residual.p);
    }
    const std::vector<double> adjusted = holm(p);
    for (std::size_t i = 0; i < judged.size(); ++i) {
      NodeResidual& residual = *judged[i];
      residual.adjusted_p = adjusted[i];
      if (residual.finding != NodeFinding::StandsOut) residual.finding = NodeFinding::NotSlower;
      if (adjusted[i] <= kWrongNodes) residual.finding = NodeFinding::Slow;
    }
  }

  std::map<std::string, Seen> seen_;
  std::map<std::string, NodeResidual> residuals_;
  NodeResiduals found_;
};

}  // namespace

NodeResiduals node_residuals(const Frame& frame) {
  Pool pool;
  for (const RunRow& run : frame.runs) {
    for (const LaunchRanks& launch : run.ranks) pool.add(launch);
  }
  return pool.judged();
}

}  // namespace dlscale::analysis
