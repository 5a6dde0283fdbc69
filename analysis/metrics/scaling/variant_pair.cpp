// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/variant_pair.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/metrics/scaling/joined_frames.hpp"
#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

/// Returns the share of wrong answers of each repeat.
std::vector<double> errors_of(const AccuracyPoint& point) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) values.push_back(1 - final_accuracy(*run));
  return values;
}

/// Returns true if two runs of different plan folders have equal values of all conditions that
/// both runs record, except for the conditions that describe the machine and its software.
bool did_same_work(const RunRow& a, const RunRow& b) {
  return std::ranges::all_of(a.conditions, [&](const auto& condition) {
    const auto found = b.conditions.find(condition.first);
    return found == b.conditions.end() || found->second == condition.second ||
           describes_source(condition.first);
  });
}

/// Returns true if the points have the same data set and the same stop rule. Points of different
/// plan folders must also have the same model and settings.
bool have_same_training(const AccuracyPoint& a, const AccuracyPoint& b) {
  const RunRow &one = *a.repeats.front(), &other = *b.repeats.front();
  const auto value = [](const RunRow& run, const char* name) {
    const auto found = run.conditions.find(name);
    return found == run.conditions.end() ? std::string() : found->second;
  };
  return value(one, "dataset") == value(other, "dataset") &&
         value(one, "stop_rule") == value(other, "stop_rule") &&
         (!are_of_different_sources(one, other) || did_same_work(one, other));
}

Estimate ratio_of(const std::vector<double>& longer, const std::vector<double>& shorter) {
  Estimate ratio = hodges_lehmann_ratio(longer, shorter);
  ratio.n = std::min(longer.size(), shorter.size());
  return ratio;
}

Estimate difference_of(const std::vector<double>& more, const std::vector<double>& less) {
  return {median(more) - median(less), interval_of_difference(more, less),
          std::min(more.size(), less.size())};
}

/// Pairs of one contest by GPU count. All pairs have the values in the same order.
using PairsByCount = std::map<int, std::vector<VariantPair>>;

std::vector<Stratum> strata_of(const std::vector<VariantPair>& pairs) {
  std::vector<Stratum> strata;
  for (const VariantPair& pair : pairs) strata.push_back({pair.of_a, pair.of_b});
  return strata;
}

/// Returns the contest of the pairs. `tests` is the number of contests.
VariantContest contest_of(const PairsByCount& by_count, double tests) {
  const std::vector<VariantPair>& last = by_count.rbegin()->second;
  VariantContest contest{last.front().axis, last.front().a, last.front().b};
  contest.first_gpus = by_count.begin()->first;
  contest.last_gpus = contest.from_gpus = by_count.rbegin()->first;
  const bool is_a_better = stratified_mann_whitney(strata_of(last)).shift <= 0;
  if (!is_a_better) std::swap(contest.a, contest.b);
  for (const VariantPair& pair : last) {
    contest.advantages.push_back(is_a_better ? pair.advantage : pair.disadvantage);
  }
  std::stable_sort(contest.advantages.begin(), contest.advantages.end(),
                   [](const auto& one, const auto& other) { return one.value < other.value; });
  if (tests * smallest_p(strata_of(last)) > kWrongVerdicts) return contest;
  contest.finding = Finding::NotDistinguishable;
  for (auto at = by_count.rbegin(); at != by_count.rend(); ++at) {
    const StratifiedResult result = stratified_mann_whitney(strata_of(at->second));
    const bool agrees = (result.shift < 0) == is_a_better && result.shift != 0;
    if (!agrees || tests * result.p > kWrongVerdicts) break;
    contest.finding = Finding::Faster;
    contest.from_gpus = at->first;
  }
  return contest;
}

}  // namespace

std::vector<VariantPair> speed_pairs(const Verdicts& verdicts) {
  std::vector<VariantPair> pairs;
  for (const Verdict& one : verdicts.pairs) {
    if (one.axis == kGpus) continue;
    const std::vector<double>& a = one.a.seconds_per_sample;
    const std::vector<double>& b = one.b.seconds_per_sample;
    pairs.push_back({one.axis, value_of(one.a.key, one.axis), value_of(one.b.key, one.axis),
                     one.a.gpus, a, b, ratio_of(b, a), ratio_of(a, b)});
  }
  return pairs;
}

std::vector<VariantPair> accuracy_pairs(const std::vector<AccuracyPoint>& points) {
  std::vector<VariantPair> pairs;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const AccuracyPoint &a = points[i], &b = points[j];
      if (a.gpus != b.gpus || a.global_batch != b.global_batch) continue;
      const std::string axis = only_difference(a.key, b.key);
      if (axis.empty() || !have_same_training(a, b)) continue;
      const std::vector<double> of_a = errors_of(a), of_b = errors_of(b);
      pairs.push_back({axis, value_of(a.key, axis), value_of(b.key, axis), a.gpus, of_a, of_b,
                       difference_of(of_b, of_a), difference_of(of_a, of_b)});
    }
  }
  return pairs;
}

std::vector<VariantContest> contests(const std::vector<VariantPair>& pairs) {
  std::vector<PairsByCount> groups;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> places;
  for (VariantPair pair : pairs) {
    if (pair.b < pair.a) {
      std::swap(pair.a, pair.b);
      std::swap(pair.of_a, pair.of_b);
      std::swap(pair.advantage, pair.disadvantage);
    }
    const auto [place, is_new] = places.try_emplace({pair.axis, pair.a, pair.b}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second][pair.gpus].push_back(std::move(pair));
  }
  std::vector<VariantContest> list;
  for (const PairsByCount& group : groups) {
    list.push_back(contest_of(group, static_cast<double>(groups.size())));
  }
  return list;
}

}  // namespace dlscale::analysis
