// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/statistics/rank_tests.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

#include "analysis/metrics/statistics/interval.hpp"

namespace dlscale::analysis {
namespace {

/// Ranks of values, counted from 1. Equal values share their mean rank, which can end in .5. Ranks
/// are therefore stored doubled, as whole numbers.
struct DoubledRanks {
  std::vector<std::size_t> ranks;  ///< doubled ranks in the order of the values
  double ties = 0;                 ///< sum of t^3 - t over groups of t equal values
};

DoubledRanks doubled_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
  DoubledRanks result{std::vector<std::size_t>(values.size()), 0};
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (std::size_t i = begin; i < end; ++i) result.ranks[order[i]] = begin + 1 + end;
    const auto tied = static_cast<double>(end - begin);
    result.ties += tied * tied * tied - tied;
    begin = end;
  }
  return result;
}

/// Returns for each possible sum the number of ways to choose `chosen` of the ranks so that they
/// have this sum. The index of an entry is the sum.
std::vector<double> choices_by_sum(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  const std::size_t most = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(most + 1, 0.0));
  ways[0][0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t size = chosen; size > 0; --size) {
      for (std::size_t sum = most; sum >= rank; --sum)
        ways[size][sum] += ways[size - 1][sum - rank];
    }
  }
  return ways[chosen];
}

double exact_p(const std::vector<std::size_t>& ranks, std::size_t n_a) {
  const std::size_t all = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  const std::size_t observed = std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(n_a), std::size_t{0});
  // All sums are multiplied by the number of ranks, so that their mean is a whole number, too.
  const auto off_mean = [&](std::size_t sum) {
    const std::size_t scaled = sum * ranks.size();
    return scaled > all * n_a ? scaled - all * n_a : all * n_a - scaled;
  };
  const std::vector<double> choices = choices_by_sum(ranks, n_a);
  double extreme = 0;
  for (std::size_t sum = 0; sum < choices.size(); ++sum) {
    if (off_mean(sum) >= off_mean(observed)) extreme += choices[sum];
  }
  return std::min(1.0, extreme / std::accumulate(choices.begin(), choices.end(), 0.0));
}

double approximate_p(const DoubledRanks& ranked, double n_a, double n_b) {
  double sum = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n_a); ++i) {
    sum += static_cast<double>(ranked.ranks[i]) / 2;
  }
  const double n = n_a + n_b;
  const double variance = n_a * n_b / 12 * (n + 1 - ranked.ties / (n * (n - 1)));
  if (variance <= 0) return 1;
  const double off_mean = std::max(0.0, std::abs(sum - n_a * (n + 1) / 2) - 0.5);
  return normal_two_sided_p(off_mean / std::sqrt(variance));
}

std::vector<double> joined(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

/// Distribution of a sum of centred doubled ranks: entry i is the probability of `first` + i.
struct CenteredSums {
  std::ptrdiff_t first = 0;
  std::vector<double> chances{1.0};

  void add(const CenteredSums& other) {
    std::vector<double> sums(chances.size() + other.chances.size() - 1, 0.0);
    for (std::size_t i = 0; i < chances.size(); ++i) {
      for (std::size_t k = 0; k < other.chances.size(); ++k) {
        sums[i + k] += chances[i] * other.chances[k];
      }
    }
    first += other.first;
    chances = std::move(sums);
  }
};

/// Returns the distribution of the sum of `chosen` of the doubled ranks minus its mean. The mean is
/// a whole number, because the mean of the doubled ranks is their number + 1.
CenteredSums centered_sums(const std::vector<std::size_t>& ranks, std::size_t chosen) {
  std::vector<double> chances = choices_by_sum(ranks, chosen);
  const double all = std::accumulate(chances.begin(), chances.end(), 0.0);
  for (double& chance : chances) chance /= all;
  std::size_t low = 0;
  while (chances[low] == 0) ++low;
  while (chances.back() == 0) chances.pop_back();
  chances.erase(chances.begin(), chances.begin() + static_cast<std::ptrdiff_t>(low));
  return {
      static_cast<std::ptrdiff_t>(low) - static_cast<std::ptrdiff_t>(chosen * (ranks.size() + 1)),
      std::move(chances)};
}

}  // namespace

StratifiedResult stratified_mann_whitney(const std::vector<Stratum>& strata) {
  std::ptrdiff_t observed = 0;
  double variance = 0;
  bool exact = true;
  CenteredSums sums;
  for (const Stratum& stratum : strata) {
    exact = exact && std::max(stratum.a.size(), stratum.b.size()) <= kMostForExact;
  }
  for (const Stratum& stratum : strata) {
    const DoubledRanks ranked = doubled_ranks(joined(stratum.a, stratum.b));
    const std::size_t n_a = stratum.a.size(), n = ranked.ranks.size();
    const std::size_t sum =
        std::accumulate(ranked.ranks.begin(),
                        ranked.ranks.begin() + static_cast<std::ptrdiff_t>(n_a), std::size_t{0});
    observed += static_cast<std::ptrdiff_t>(sum) - static_cast<std::ptrdiff_t>(n_a * (n + 1));
    if (exact) sums.add(centered_sums(ranked.ranks, n_a));
    const auto all = static_cast<double>(n);
    variance += static_cast<double>(n_a * stratum.b.size()) / 12 *
                (all + 1 - ranked.ties / (all * (all - 1)));
  }
  StratifiedResult result{1, static_cast<double>(observed) / 2};
  if (!exact) {
    if (variance > 0) result.p = normal_two_sided_p(result.shift / std::sqrt(variance));
    return result;
  }
  result.p = 0;
  for (std::size_t i = 0; i < sums.chances.size(); ++i) {
    const std::ptrdiff_t at = sums.first + static_cast<std::ptrdiff_t>(i);
    if (std::abs(at) >= std::abs(observed)) result.p += sums.chances[i];
  }
  result.p = std::min(1.0, result.p);
  return result;
}

double smallest_p(const std::vector<Stratum>& strata) {
  double p = 2;
  for (const Stratum& stratum : strata) p *= smallest_p(stratum.a.size(), stratum.b.size()) / 2;
  return std::min(1.0, p);
}

TestResult mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  const DoubledRanks ranked = doubled_ranks(joined(a, b));
  if (std::max(a.size(), b.size()) <= kMostForExact) return {exact_p(ranked.ranks, a.size()), true};
  return {approximate_p(ranked, static_cast<double>(a.size()), static_cast<double>(b.size())),
          false};
}

double smallest_p(std::size_t n_a, std::size_t n_b) {
  double choices = 1;
  for (std::size_t i = 1; i <= n_a; ++i) {
    choices *= static_cast<double>(n_b + i) / static_cast<double>(i);
  }
  return std::min(1.0, 2 / choices);
}

std::size_t shift_rank(std::size_t n_a, std::size_t n_b, double tail) {
  const auto a = static_cast<double>(n_a);
  const auto b = static_cast<double>(n_b);
  if (std::max(n_a, n_b) > kMostForExact) {
    const double c = a * b / 2 + normal_quantile(tail) * std::sqrt(a * b * (a + b + 1) / 12);
    return c < 1 ? 0 : static_cast<std::size_t>(c);
  }
  std::vector<std::size_t> ranks(n_a + n_b);
  std::iota(ranks.begin(), ranks.end(), 1);
  const std::vector<double> choices = choices_by_sum(ranks, n_a);
  const double all = std::accumulate(choices.begin(), choices.end(), 0.0);
  const std::size_t smallest_sum = n_a * (n_a + 1) / 2;
  double below = 0;
  std::size_t c = 0;
  while (smallest_sum + c < choices.size()) {
    below += choices[smallest_sum + c];
    if (below / all > tail) break;
    ++c;
  }
  return c;
}

TestResult kruskal_wallis(const std::vector<std::vector<double>>& samples) {
  std::vector<double> all;
  for (const std::vector<double>& sample : samples) all = joined(all, sample);
  const DoubledRanks ranked = doubled_ranks(all);
  const auto n = static_cast<double>(all.size());
  const double untied = 1 - ranked.ties / (n * n * n - n);
  if (samples.size() < 2 || all.size() < 2 || untied <= 0) return {1, false};
  double squares = 0;
  std::size_t at = 0;
  for (const std::vector<double>& sample : samples) {
    double sum = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      sum += static_cast<double>(ranked.ranks[at++]) / 2;
    }
    if (!sample.empty()) squares += sum * sum / static_cast<double>(sample.size());
  }
  const double h = (12 / (n * (n + 1)) * squares - 3 * (n + 1)) / untied;
  return {chi_squared_upper_p(h, static_cast<double>(samples.size() - 1)), false};
}

namespace {

/// Returns twice the rank of each value. Ranks count from 1, and equal values share their mean
/// rank. Doubled ranks are whole numbers even for a mean rank such as 1.5.
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

/// Returns the probability of each sum after one of the `ranks`, chosen at random, was added to a
/// random sum. `chances` holds the probability of each sum before this addition.
std::vector<double> with_one_of(const std::vector<std::size_t>& ranks,
                                const std::vector<double>& chances) {
  std::vector<double> sums(chances.size() + 2 * ranks.size(), 0.0);
  const double share = 1 / static_cast<double>(ranks.size());
  for (const std::size_t rank : ranks) {
    for (std::size_t sum = 0; sum < chances.size(); ++sum) sums[sum + rank] += share * chances[sum];
  }
  return sums;
}

/// Returns the result of with_one_of for the ranks 2, 4, … 2n in a single pass. These are the
/// doubled ranks of every block without equal values.
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
