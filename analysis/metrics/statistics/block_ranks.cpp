// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/block_ranks.hpp"

#include <algorithm>

namespace dlscale::analysis {
namespace {

/// Twice the rank of each value from 1 on, a whole number also where equal values share theirs.
std::vector<std::size_t> doubled_ranks_of_block(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> ranks;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
    ranks.push_back(
        static_cast<std::size_t>((first - sorted.begin()) + (last - sorted.begin()) + 1));
  }
  return ranks;
}

/// The chance of each sum, when one of `ranks` is added to a sum with these chances.
std::vector<double> with_one_of(const std::vector<std::size_t>& ranks,
                                const std::vector<double>& chances) {
  std::vector<double> sums(chances.size() + 2 * ranks.size(), 0.0);
  const double share = 1 / static_cast<double>(ranks.size());
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = 0; sum < chances.size(); ++sum) sums[sum + rank] += share * chances[sum];
  }
  return sums;
}

/// The same of the ranks 2, 4, … 2n, which all blocks without equal values have: in one pass.
std::vector<double> with_one_of_first(std::size_t n, const std::vector<double>& chances) {
  std::vector<double> sums(chances.size() + 2 * n, 0.0);
  const auto chance_of = [&](std::size_t sum) { return sum < chances.size() ? chances[sum] : 0; };
  const double share = 1 / static_cast<double>(n);
  for (std::size_t sum = 2; sum < sums.size(); ++sum) {
    const double leaving = sum >= 2 * (n + 1) ? chance_of(sum - 2 * (n + 1)) : 0;
    sums[sum] = std::max(0.0, sums[sum - 2] + share * (chance_of(sum - 2) - leaving));
  }
  return sums;
}

bool all_differ(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return std::adjacent_find(values.begin(), values.end()) == values.end();
}

}  // namespace

double p_of_high_ranks(const std::vector<Block>& blocks) {
  std::vector<double> chances{1};
  std::size_t observed = 0;
  for (const Block& block : blocks) {
    const std::vector<std::size_t> ranks = doubled_ranks_of_block(block.values);
    observed += ranks[block.own];
    chances = all_differ(block.values) ? with_one_of_first(ranks.size(), chances)
                                       : with_one_of(ranks, chances);
  }
  double p = 0;
  for (std::size_t sum = observed; sum < chances.size(); ++sum) p += chances[sum];
  return std::min(1.0, p);
}

double smallest_p_of_ranks(const std::vector<Block>& blocks) {
  double p = 1;
  for (const Block& block : blocks) p /= static_cast<double>(block.values.size());
  return p;
}

}  // namespace dlscale::analysis
