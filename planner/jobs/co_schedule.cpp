// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/co_schedule.hpp"

#include <algorithm>
#include <tuple>

namespace dlscale::planner {
namespace {

/// A node being filled: the schedule is simulated as runs are added to its end.
class OpenNode {
 public:
  explicit OpenNode(int slots) : free_at_(static_cast<std::size_t>(slots), 0.0) {}

  double end_if_added(const NodeShare& share) const {
    return std::max(start_of(share) + share.seconds, plan_.seconds);
  }
  void add(const NodeShare& share) {
    plan_.seconds = end_if_added(share);
    last_start_ = start_of(share);
    std::fill_n(free_at_.begin(), share.slots, last_start_ + share.seconds);
    std::sort(free_at_.begin(), free_at_.end());
    plan_.slots = static_cast<int>(
        std::count_if(free_at_.begin(), free_at_.end(), [](double at) { return at > 0; }));
    plan_.runs.push_back(share);
  }
  const NodePlan& plan() const { return plan_; }

 private:
  double start_of(const NodeShare& share) const {
    return std::max(last_start_, free_at_[static_cast<std::size_t>(share.slots) - 1]);
  }

  std::vector<double> free_at_;  // of each slot, the earliest first
  double last_start_ = 0;
  NodePlan plan_;
};

}  // namespace

std::vector<NodePlan> co_schedule(std::vector<NodeShare> shares, int slots, double limit_s) {
  std::sort(shares.begin(), shares.end(), [](const NodeShare& a, const NodeShare& b) {
    return std::tuple(-a.seconds, -a.slots, a.run) < std::tuple(-b.seconds, -b.slots, b.run);
  });
  std::vector<OpenNode> nodes;
  std::vector<std::size_t> open;  // nodes with room for the shortest run at least
  for (const NodeShare& share : shares) {
    const auto takes = std::find_if(open.begin(), open.end(), [&](std::size_t i) {
      return nodes[i].end_if_added(share) <= limit_s;
    });
    const bool found = takes != open.end();
    const std::size_t at = found ? *takes : nodes.size();
    if (!found) {
      nodes.emplace_back(slots);
      open.push_back(at);
    }
    nodes[at].add(share);
    const NodeShare least{0, 1, shares.back().seconds};
    if (nodes[at].end_if_added(least) > limit_s)
      open.erase(std::find(open.begin(), open.end(), at));
  }
  std::vector<NodePlan> plans;
  for (const OpenNode& node : nodes) plans.push_back(node.plan());
  return plans;
}

}  // namespace dlscale::planner
