// SPDX-License-Identifier: Apache-2.0
#include "analysis/metrics/scaling/variant_pair.hpp"

#include <algorithm>
#include <utility>

#include "analysis/metrics/statistics/effect.hpp"
#include "analysis/metrics/statistics/rank_tests.hpp"
#include "analysis/metrics/statistics/summary.hpp"

namespace dlscale::analysis {
namespace {

std::vector<double> accuracies_of(const AccuracyPoint& point) {
  std::vector<double> values;
  for (const RunRow* run : point.repeats) values.push_back(final_accuracy(*run));
  return values;
}

/// Returns true if the points have the same data set and the same stop rule.
bool same_training(const AccuracyPoint& a, const AccuracyPoint& b) {
  const auto value = [](const AccuracyPoint& point, const char* name) {
    const auto& conditions = point.repeats.front()->conditions;
    const auto found = conditions.find(name);
    return found == conditions.end() ? std::string() : found->second;
  };
  return value(a, "dataset") == value(b, "dataset") && value(a, "stop_rule") == value(b, "stop_rule");
}

/// Returns the contest of the values `a` and `b`. `pairs` are its comparisons and are not empty.
VariantContest contest_of(std::vector<VariantPair> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto& one, const auto& other) { return one.gpus < other.gpus; });
  VariantContest contest{pairs.front().axis, pairs.back().better, pairs.back().worse};
  contest.first_gpus = pairs.front().gpus;
  contest.last_gpus = contest.from_gpus = pairs.back().gpus;
  contest.pairs = static_cast<int>(pairs.size());
  for (const VariantPair& pair : pairs) {
    contest.too_few += pair.finding == Finding::TooFewRepeats;
    if (pair.finding == Finding::Faster) {
      ++(pair.better == contest.a ? contest.a_better : contest.b_better);
    }
    contest.most_repeats = std::max(contest.most_repeats, pair.effect.n);
    if (pair.detectable) {
      contest.detectable = std::max(contest.detectable.value_or(0), *pair.detectable);
    }
    if (pair.gpus == contest.last_gpus) contest.last.push_back(pair);
  }
  std::stable_sort(
      contest.last.begin(), contest.last.end(),
      [](const auto& one, const auto& other) { return one.effect.value < other.effect.value; });
  // Go down from the largest GPU count as long as all pairs of a count agree.
  for (auto end = pairs.end(); end != pairs.begin();) {
    const int gpus = std::prev(end)->gpus;
    const auto begin = std::find_if(pairs.begin(), end,
                                    [&](const VariantPair& pair) { return pair.gpus == gpus; });
    const bool agree = std::all_of(begin, end, [&](const VariantPair& pair) {
      return pair.finding == Finding::Faster && pair.better == contest.a;
    });
    if (!agree) break;
    contest.is_decided = true;
    contest.from_gpus = gpus;
    end = begin;
  }
  return contest;
}

}  // namespace

std::vector<VariantPair> speed_pairs(const std::vector<ScalingCurve>& curves, bool allow_mixed) {
  std::vector<VariantPair> pairs;
  for (const Verdict& one : verdicts_between(curves, allow_mixed).pairs) {
    if (one.axis == kGpus) continue;
    VariantPair pair{one.axis, value_of(one.a.key, one.axis), value_of(one.b.key, one.axis),
                     one.a.gpus, one.finding, one.ratio, one.detectable};
    pair.effect.n = std::min(one.a.seconds_per_sample.size(), one.b.seconds_per_sample.size());
    pairs.push_back(std::move(pair));
  }
  return pairs;
}

std::vector<VariantPair> accuracy_pairs(const std::vector<AccuracyPoint>& points) {
  std::vector<VariantPair> pairs;
  std::vector<std::size_t> tested;
  std::vector<double> p;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      const AccuracyPoint *better = &points[i], *worse = &points[j];
      if (better->gpus != worse->gpus || better->global_batch != worse->global_batch) continue;
      const std::string axis = only_difference(better->key, worse->key);
      if (axis.empty() || !same_training(*better, *worse)) continue;
      if (better->final_accuracy.value < worse->final_accuracy.value) std::swap(better, worse);
      const std::vector<double> more = accuracies_of(*better), less = accuracies_of(*worse);
      pairs.push_back({axis,
                       value_of(better->key, axis),
                       value_of(worse->key, axis),
                       better->gpus,
                       Finding::TooFewRepeats,
                       {median(more) - median(less), interval_of_difference(more, less),
                        std::min(more.size(), less.size())},
                       {}});
      if (smallest_p(more.size(), less.size()) > kWrongVerdicts) continue;
      tested.push_back(pairs.size() - 1);
      p.push_back(mann_whitney(more, less).p);
    }
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    pairs[tested[i]].finding =
        adjusted[i] <= kWrongVerdicts ? Finding::Faster : Finding::NotDistinguishable;
  }
  return pairs;
}

std::vector<VariantContest> contests(const std::vector<VariantPair>& pairs) {
  std::vector<std::vector<VariantPair>> groups;
  const auto same = [](const VariantPair& a, const VariantPair& b) {
    return a.axis == b.axis && std::minmax(a.better, a.worse) == std::minmax(b.better, b.worse);
  };
  for (const VariantPair& pair : pairs) {
    const auto group = std::find_if(groups.begin(), groups.end(),
                                    [&](const auto& one) { return same(one.front(), pair); });
    if (group == groups.end()) {
      groups.push_back({pair});
    } else {
      group->push_back(pair);
    }
  }
  std::vector<VariantContest> list;
  for (std::vector<VariantPair>& group : groups) list.push_back(contest_of(std::move(group)));
  return list;
}

}  // namespace dlscale::analysis
