// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/co_schedule.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dlscale::planner {
namespace {

/// Node whose runs start in the order in which they are added.
class InOrder {
 public:
  explicit InOrder(int slots) : free_at_(static_cast<std::size_t>(slots), 0.0) {}

  void add(const NodeShare& share) {
    const auto wanted = static_cast<std::ptrdiff_t>(share.slots);
    last_start_ = std::max(last_start_, free_at_[static_cast<std::size_t>(wanted) - 1]);
    // Takes the slots that became free last. Slots that no run has used yet then stay unused, so
    // the node needs no more slots than necessary.
    const auto busy = std::upper_bound(free_at_.begin(), free_at_.end(), last_start_);
    const double end = last_start_ + share.seconds;
    std::fill(busy - wanted, busy, end);
    std::sort(free_at_.begin(), free_at_.end());
    plan_.seconds = std::max(plan_.seconds, end);
    plan_.slots = static_cast<int>(
        std::count_if(free_at_.begin(), free_at_.end(), [](double at) { return at > 0; }));
    plan_.runs.push_back(share);
  }
  const NodePlan& plan() const { return plan_; }

 private:
  std::vector<double> free_at_;  // times at which the slots become free, earliest first
  double last_start_ = 0;
  NodePlan plan_;
};

/// Node that is being filled with runs. A new run gets the earliest start time at which enough
/// slots are free for its whole duration. This start time may be before the start of runs that were
/// placed earlier. When in_order() starts the runs in the order of their start times, it reproduces
/// these times. Placing a further run only occupies slots, so no run that is already placed can
/// start earlier.
class OpenNode {
 public:
  OpenNode(int slots, double limit_s)
      : spans_{{0, slots}, {limit_s, 0}}, longest_(static_cast<std::size_t>(slots) + 1, kUnknown) {}

  bool takes(int slots, double seconds) {
    double& longest = longest_[static_cast<std::size_t>(slots)];
    if (longest == kUnknown) longest = longest_room(slots);
    return seconds <= longest;
  }
  void add(const NodeShare& share) {
    const double start = start_of(share);
    const double end = start + share.seconds;
    const std::size_t first = split(start), last = split(end);
    for (std::size_t i = first; i < last; ++i) spans_[i].free -= share.slots;
    const auto same = [](const Span& a, const Span& b) { return a.free == b.free; };
    spans_.erase(std::unique(spans_.begin(), spans_.end(), same), spans_.end());
    std::fill(longest_.begin(), longest_.end(), kUnknown);
    starts_.push_back({start, share});
  }
  NodePlan plan(int slots) const {
    auto starts = starts_;
    std::stable_sort(starts.begin(), starts.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<NodeShare> runs;
    for (const auto& [start, share] : starts) runs.push_back(share);
    return in_order(runs, slots);
  }

 private:
  static constexpr double kUnknown = -1;
  struct Span {
    double from;
    // Number of free slots until the next span begins. The last span begins at the time limit.
    int free;
  };

  /// Calls `use(from, until)` for each interval in which at least `slots` slots are free, until
  /// `use` returns true.
  template <class Use>
  void rooms(int slots, Use use) const {
    for (std::size_t i = 0; i < spans_.size(); ++i) {
      if (spans_[i].free < slots) continue;
      const double from = spans_[i].from;
      while (spans_[i].free >= slots) ++i;
      if (use(from, spans_[i].from)) return;
    }
  }
  double longest_room(int slots) const {
    double longest = 0;
    rooms(slots, [&](double from, double until) {
      longest = std::max(longest, until - from);
      return false;
    });
    return longest;
  }
  double start_of(const NodeShare& share) const {
    double start = 0;
    rooms(share.slots, [&](double from, double until) {
      start = from;
      return share.seconds <= until - from;
    });
    return start;
  }
  /// Splits the span that contains the time `at` into two spans, unless a span already begins at
  /// this time. Returns the index of the span that begins at `at`.
  std::size_t split(double at) {
    const auto next = std::lower_bound(spans_.begin(), spans_.end(), at,
                                       [](const Span& span, double t) { return span.from < t; });
    const auto index = static_cast<std::size_t>(next - spans_.begin());
    if (next == spans_.end() || next->from > at) {
      spans_.insert(next, {at, spans_[index - 1].free});
    }
    return index;
  }

  std::vector<Span> spans_;
  // longest_[n] is the duration in seconds of the longest interval in which at least n slots are
  // free.
  std::vector<double> longest_;
  std::vector<std::pair<double, NodeShare>> starts_;
};

/// Returns the longest prefix of the node's runs that is charged no more as one packed job than as
/// separate jobs. The prefix has at least two runs. Returns an empty plan if every prefix is
/// charged more.
NodePlan worthwhile(const NodePlan& node, int slots, const Charge& charge) {
  constexpr double kRounding = 1 + 1e-9;
  InOrder played(slots);
  double alone = 0;
  std::size_t longest = 0;
  for (const NodeShare& share : node.runs) {
    played.add(share);
    alone += share.alone;
    const NodePlan& so_far = played.plan();
    if (charge(so_far.slots, so_far.seconds) <= alone * kRounding) longest = so_far.runs.size();
  }
  if (longest < 2) return {};
  return in_order(std::span(node.runs).first(longest), slots);
}

/// Returns a plan for as many runs of the node as possible that is charged no more than separate
/// jobs. If the plan with all slots does not contain all runs, the function also tries fewer slots.
NodePlan most_worthwhile(const NodePlan& node, double limit_s, const Charge& charge) {
  NodePlan best = worthwhile(node, node.slots, charge);
  const auto wider = [](const NodeShare& a, const NodeShare& b) { return a.slots < b.slots; };
  const int least = std::max_element(node.runs.begin(), node.runs.end(), wider)->slots;
  const int step = 1 + node.slots / 16;  // coarser steps on nodes with many cores
  for (int slots = node.slots - step; slots >= least && best.runs.size() < node.runs.size();
       slots -= step) {
    const NodePlan narrow =
        worthwhile(co_schedule(node.runs, slots, limit_s).front(), slots, charge);
    if (narrow.runs.size() > best.runs.size()) best = narrow;
  }
  return best;
}

/// Drops the longest run until a packed job of the remaining runs is charged no more than separate
/// jobs. A packed job pays for all of its GPUs until its longest run ends. Without this run, the
/// other runs may be worth packing.
NodePlan part_of(NodePlan node, double limit_s, const Charge& charge) {
  const auto shorter = [](const NodeShare& a, const NodeShare& b) { return a.seconds < b.seconds; };
  while (node.runs.size() > 1) {
    NodePlan found = most_worthwhile(node, limit_s, charge);
    if (!found.runs.empty()) return found;
    node.runs.erase(std::max_element(node.runs.begin(), node.runs.end(), shorter));
    node = co_schedule(std::move(node.runs), node.slots, limit_s).front();
  }
  return {};
}

bool longer(const NodeShare& a, const NodeShare& b) {
  return std::tuple(-a.seconds, -a.slots, a.run) < std::tuple(-b.seconds, -b.slots, b.run);
}

/// Appends the runs of `node` that are not in `taken` to `others`.
void add_others(const NodePlan& node, const NodePlan& taken, std::vector<NodeShare>& others) {
  std::vector<std::size_t> runs;
  for (const NodeShare& share : taken.runs) runs.push_back(share.run);
  std::sort(runs.begin(), runs.end());
  for (const NodeShare& share : node.runs) {
    if (!std::binary_search(runs.begin(), runs.end(), share.run)) others.push_back(share);
  }
}

}  // namespace

NodePlan in_order(std::span<const NodeShare> runs, int slots) {
  InOrder node(slots);
  for (const NodeShare& share : runs) node.add(share);
  return node.plan();
}

std::vector<NodePlan> co_schedule(std::vector<NodeShare> shares, int slots, double limit_s) {
  // Maximum number of nodes that are searched for space. The limit keeps the search fast.
  constexpr std::size_t kMostOpen = 100;
  std::sort(shares.begin(), shares.end(), longer);
  std::vector<OpenNode> nodes;
  std::vector<std::size_t> open;  // nodes with space for at least the shortest run
  for (const NodeShare& share : shares) {
    const auto takes = std::find_if(open.begin(), open.end(), [&](std::size_t i) {
      return nodes[i].takes(share.slots, share.seconds);
    });
    const bool found = takes != open.end();
    const std::size_t at = found ? *takes : nodes.size();
    if (!found) {
      nodes.emplace_back(slots, limit_s);
      if (open.size() == kMostOpen) open.erase(open.begin());
      open.push_back(at);
    }
    nodes[at].add(share);
    if (!nodes[at].takes(1, shares.back().seconds))
      open.erase(std::find(open.begin(), open.end(), at));
  }
  std::vector<NodePlan> plans;
  for (const OpenNode& node : nodes) plans.push_back(node.plan(slots));
  return plans;
}

Sharing share_nodes(std::vector<NodeShare> shares, int slots, double limit_s,
                    const Charge& charge) {
  // Another round follows if at least 1 in 10 runs was packed.
  constexpr std::size_t kWorthAnother = 10;
  Sharing sharing;
  for (bool first = true, again = true; again; first = false) {
    const std::size_t asked = shares.size();
    std::vector<NodeShare> left;
    for (const NodePlan& node : co_schedule(std::move(shares), slots, limit_s)) {
      if (node.runs.size() == 1) {
        sharing.alone.push_back(node.runs.front().run);
        if (!first) ++sharing.too_dear;
        continue;
      }
      NodePlan taken = part_of(node, limit_s, charge);
      add_others(node, taken, left);
      if (!taken.runs.empty()) sharing.nodes.push_back(std::move(taken));
    }
    shares = std::move(left);
    again = !shares.empty() && (asked - shares.size()) * kWorthAnother >= asked;
  }
  sharing.too_dear += shares.size();
  for (const NodeShare& share : shares) sharing.alone.push_back(share.run);
  return sharing;
}

}  // namespace dlscale::planner
