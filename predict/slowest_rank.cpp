// SPDX-License-Identifier: Apache-2.0
#include "predict/slowest_rank.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "predict/compute_fit.hpp"

namespace dlscale::predict {
namespace {

constexpr std::size_t kFewestBlocks = 5;
// Smallest number of pairs of blocks from which the similarity of the steps in a block is
// estimated.
constexpr std::size_t kFewestPairs = 4;

/// Returns the standard deviation of the time of a step, computed from the mean distance of each
/// block to the next block. The formula assumes that the steps are independent.
double as_if_independent(const std::vector<StepBlock>& blocks) {
  double sum = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const StepBlock &one = blocks[i - 1], &next = blocks[i];
    sum += std::abs(next.work_s / next.steps - one.work_s / one.steps) /
           std::sqrt(1 / one.steps + 1 / next.steps);
  }
  // The mean absolute deviation of a normal distribution is √(2/π) standard deviations.
  return std::sqrt(std::numbers::pi / 2) * sum / static_cast<double>(blocks.size() - 1);
}

/// Returns how similar the times of steps in a block are, from 0 to 1. At 0 the steps are
/// independent, and their deviations average out within a block. At 1 all steps of a block take the
/// same time, so that long blocks differ from each other as much as short blocks do.
double alikeness(const std::vector<StepBlock>& blocks, double deviation) {
  std::vector<StepBlock> pairs;
  for (std::size_t i = 1; i < blocks.size(); i += 2) {
    pairs.push_back(
        {blocks[i - 1].steps + blocks[i].steps, blocks[i - 1].work_s + blocks[i].work_s});
  }
  if (pairs.size() < kFewestPairs) return 1;
  return std::clamp(2 * std::log2(as_if_independent(pairs) / deviation), 0.0, 1.0);
}

/// Returns the number of ranks on a node in a measured step.
int sharing_ranks(const contract::ComputeTime& time) {
  return std::max(1, time.ranks_on_node);
}

Seconds computing_of(const contract::ComputeTime& time) {
  return {time.forward_s + time.backward_s + time.optimizer_s};
}

/// Returns the absolute logarithm of the ratio of two values.
double times_apart(double a, double b) {
  return std::abs(std::log(a / b));
}

/// Returns the entries of `times` whose `key` is nearest to `wanted` on a logarithmic scale.
template <class Key>
std::vector<contract::ComputeTime> nearest_times(const std::vector<contract::ComputeTime>& times,
                                                 double wanted, const Key& key) {
  double least = std::numeric_limits<double>::infinity();
  for (const auto& time : times) least = std::min(least, times_apart(key(time), wanted));
  std::vector<contract::ComputeTime> found;
  for (const auto& time : times) {
    if (times_apart(key(time), wanted) <= least) found.push_back(time);
  }
  return found;
}

}  // namespace

Seconds step_deviation(const std::vector<StepBlock>& blocks) {
  if (blocks.size() < kFewestBlocks) return {};
  const double deviation = as_if_independent(blocks);
  if (deviation <= 0) return {};
  double steps = 0;
  for (const StepBlock& block : blocks) steps += block.steps;
  steps /= static_cast<double>(blocks.size());
  return {deviation * std::pow(steps, -alikeness(blocks, deviation) / 2)};
}

double mean_largest(int ranks) {
  // The expected maximum of P values is E = L - ∫ Φ(x)^P dx over [-L, L], where Φ is the normal
  // distribution function and L is kEdge. The trapezoidal rule converges faster than any power of
  // the step width, because the integrand is flat at both ends.
  constexpr double kEdge = 8, kStep = 1.0 / 16;
  if (ranks < 2) return 0;
  double below = 0.5;  // half of Φ^P at the upper edge, where Φ^P is 1; at the lower edge, Φ^P is 0
  for (int i = 1; i < static_cast<int>(2 * kEdge / kStep); ++i) {
    const double x = i * kStep - kEdge;
    below += std::pow(std::erfc(-x / std::numbers::sqrt2) / 2, ranks);
  }
  return kEdge - below * kStep;
}

Seconds deviation_at(const std::vector<contract::ComputeTime>& measured, double batch,
                     int ranks_on_node, Seconds computing) {
  // Runs of several ranks are kept even if their deviation is unknown, because their all-reduce
  // times already contain the time of waiting for the slowest rank. If such runs are nearest to the
  // predicted run, this function returns 0. A run of one rank whose deviation is unknown had too
  // few blocks and is ignored.
  std::vector<contract::ComputeTime> known;
  for (const contract::ComputeTime& time : measured) {
    if (sharing_ranks(time) > 1 || time.deviation_s > 0) known.push_back(time);
  }
  known = nearest_times(known, ranks_on_node, sharing_ranks);
  std::erase_if(known, [](const auto& time) { return time.deviation_s <= 0; });
  known =
      nearest_times(known, batch, [](const auto& time) { return static_cast<double>(time.batch); });
  if (known.empty()) return {};
  std::vector<double> shares;
  for (const contract::ComputeTime& time : known) {
    shares.push_back(time.deviation_s / computing_of(time).value);
  }
  return computing * median(std::move(shares));
}

}  // namespace dlscale::predict
