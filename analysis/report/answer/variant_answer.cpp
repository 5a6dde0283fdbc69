// SPDX-License-Identifier: Apache-2.0
// Writes the answers to the questions which variant is faster and which one is more accurate.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analysis/report/answer/answer_parts.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Largest number of pairs of values that the sentences on one axis describe.
constexpr std::size_t kMostContests = 3;

/// Returns the effect at the largest GPU count: of the only pair there, or of the two pairs with
/// the smallest and the largest effect.
std::string last_effect(const VariantContest& contest,
                        std::string (*effect_of)(const Estimate&, const std::string&),
                        const std::string& than) {
  const std::string largest = effect_of(contest.last.back().effect, than);
  if (contest.last.size() == 1) return largest;
  return fmt::format("{} to {} (in {} configurations)",
                     effect_of(contest.last.front().effect, ""), largest, contest.last.size());
}

/// Returns the words on the GPU counts for which a decision holds.
std::string reach_of(const VariantContest& contest, const std::string& worker) {
  const std::string at = " at " + base::count_of(contest.last_gpus, worker);
  if (contest.first_gpus == contest.last_gpus) return at;
  if (contest.from_gpus == contest.first_gpus) return at + " and better at every measured count";
  if (contest.from_gpus == contest.last_gpus) return at + " only";
  return at + fmt::format(" and better from {}", base::count_of(contest.from_gpus, worker));
}

std::string decided_sentence(const VariantContest& contest, const std::string& worker,
                             std::string (*effect_of)(const Estimate&, const std::string&)) {
  return fmt::format("{} is {}{}.", quoted_value(contest.a),
                     last_effect(contest, effect_of, quoted_value(contest.b)),
                     reach_of(contest, worker));
}

std::string undecided_sentence(const VariantContest& contest, const std::string& quality) {
  const std::string both = fmt::format("{} and {}", quoted_value(contest.a), quoted_value(contest.b));
  if (contest.too_few == contest.pairs) {
    return fmt::format("{} cannot be compared: n = {} is too small for a test, which needs 4.", both,
                       contest.most_repeats);
  }
  if (contest.a_better + contest.b_better == 0) {
    std::string text =
        fmt::format("No difference in {} between {} can be told in {}", quality, both,
                    base::count_of(contest.pairs - contest.too_few, "comparison"));
    if (contest.detectable) {
      text += fmt::format("; the tests would find a factor of {:.2f}", *contest.detectable);
    }
    return text + ".";
  }
  const std::string other =
      contest.b_better > 0 ? fmt::format(" and {} in {}", quoted_value(contest.b), contest.b_better)
                           : std::string();
  return fmt::format("{} is better in {} of {}{}; the others show no difference that can be told.",
                     quoted_value(contest.a), contest.a_better,
                     base::count_of(contest.pairs, "comparison"), other);
}

bool is_won_by(const VariantContest& contest, const std::string& value) {
  return contest.is_decided && contest.a == value;
}

/// Returns the value that is better than each of the two or more other values of the axis, or an
/// empty text if there is none.
std::string winner_of(const std::vector<const VariantContest*>& contests) {
  std::map<std::string, std::size_t> won, met;
  for (const VariantContest* one : contests) {
    ++met[one->a];
    ++met[one->b];
    if (one->is_decided) ++won[one->a];
  }
  for (const auto& [value, count] : won) {
    if (count >= 2 && count + 1 == met.size()) return value;
  }
  return "";
}

std::string axis_sentences(const std::vector<const VariantContest*>& all, const std::string& worker,
                           const std::string& quality,
                           std::string (*effect_of)(const Estimate&, const std::string&)) {
  std::vector<const VariantContest*> shown = all;
  const std::string winner = winner_of(all);
  const auto order = [&](const VariantContest* one) {
    return is_won_by(*one, winner) ? 0 : one->is_decided ? 1 : one->too_few < one->pairs ? 2 : 3;
  };
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const auto* a, const auto* b) { return order(a) < order(b); });
  const auto [axis, first] = std::pair(all.front()->axis, shown.front());
  if (first->too_few == first->pairs && all.size() > 1) {
    return fmt::format("The values of {} cannot be compared: n = {} is too small for a test, which "
                       "needs 4.",
                       axis, first->most_repeats);
  }
  std::string text;
  if (!winner.empty()) {
    text = fmt::format("{} is best.", quoted_value(winner));
  }
  const std::size_t count = std::min(shown.size(), kMostContests);
  for (std::size_t i = 0; i < count; ++i) {
    text += text.empty() ? "" : " ";
    text += shown[i]->is_decided ? decided_sentence(*shown[i], worker, effect_of)
                                 : undecided_sentence(*shown[i], quality);
  }
  if (shown.size() > count) {
    text += fmt::format(" {} not listed here.",
                        base::count_of(static_cast<std::int64_t>(shown.size() - count),
                                       "further pair is", "further pairs are"));
  }
  return fmt::format("{}: {}", axis, text);
}

std::string times_as_fast(const Estimate& effect, const std::string& than) {
  const std::string text = with_interval(effect, 2);
  return than.empty() ? text : text + " times as fast as " + than;
}

std::string points_more(const Estimate& effect, const std::string& than) {
  const std::string text = with_interval(effect, 2, 100);
  return than.empty() ? text : text + " points more accurate than " + than;
}

}  // namespace

Answer contest_answer(const std::string& question, const std::vector<VariantContest>& contests,
                      const std::string& worker, const std::string& quality,
                      std::string (*effect_of)(const Estimate& effect, const std::string& than)) {
  Answer answer{question, "", true};
  std::vector<std::string> axes;
  for (const VariantContest& one : contests) {
    if (std::find(axes.begin(), axes.end(), one.axis) == axes.end()) axes.push_back(one.axis);
    answer.is_supported = answer.is_supported && one.too_few < one.pairs;
  }
  for (const std::string& axis : axes) {
    std::vector<const VariantContest*> own;
    for (const VariantContest& one : contests) {
      if (one.axis == axis) own.push_back(&one);
    }
    answer.text += (answer.text.empty() ? "" : " ") + axis_sentences(own, worker, quality, effect_of);
  }
  return answer;
}

std::optional<Answer> speed_answer(const AnsweredStudy& study) {
  const std::vector<VariantContest> list =
      contests(speed_pairs(study.curves, study.options.allow_mixed));
  if (list.empty()) return std::nullopt;
  return contest_answer("Which variant is faster?", list, study.worker, "speed", &times_as_fast);
}

std::optional<Answer> accurate_variant_answer(const AnsweredStudy& study) {
  const std::vector<VariantContest> list = contests(accuracy_pairs(study.accuracies));
  if (list.empty()) return std::nullopt;
  return contest_answer("Which variant is more accurate?", list, study.worker, "accuracy",
                        &points_more);
}

}  // namespace dlscale::analysis
