// SPDX-License-Identifier: Apache-2.0
// Writes the answers to the questions which variant and which batch is faster, and which variant is
// more accurate.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/report/answer/answer_parts.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Largest number of pairs of values that the sentences on one axis describe.
constexpr std::size_t kMostContests = 3;

/// Smallest number of repetitions with which a test of a single pair can be significant.
constexpr std::size_t kFewestForPairTest = 4;

/// Words for a quality in which variants are compared.
struct Quality {
  const char* question;
  const char* noun;  ///< for "the repetitions cannot tell the ... apart"
  const char* comparative;
  bool is_accuracy;
};

constexpr Quality kSpeed{"Which variant is faster?", "speed", "faster", false};
constexpr Quality kBatchSpeed{"Which batch is faster?", "samples/s", "faster", false};
constexpr Quality kAccuracy{"Which variant is more accurate?", "accuracy", "more accurate", true};

/// Returns whether the largest advantage of a comparison of accuracies is 0 after rounding.
bool is_equal(const VariantContest& contest, const Quality& quality) {
  return quality.is_accuracy && is_zero_points(contest.advantages.front()) &&
         is_zero_points(contest.advantages.back());
}

/// Returns a comparison of accuracies at the largest GPU count in words, from the smallest to the
/// largest advantage of several configurations: "0.50 points [0.41, 0.62] higher".
std::string points_in_words(const Estimate& smallest, const Estimate& largest, bool is_one) {
  const auto points_of = [](const Estimate& one) { return with_interval(one, 2, 100, " points"); };
  if (is_one) {
    return largest.value < 0 ? points_of(negated(largest)) + " lower"
                             : points_of(largest) + " higher";
  }
  if (largest.value <= 0) {
    return fmt::format("{} to {} lower", points_of(negated(largest)), points_of(negated(smallest)));
  }
  if (smallest.value >= 0 || is_zero_points(smallest)) {
    return fmt::format("{} to {} higher", points_of(smallest), points_of(largest));
  }
  return fmt::format("between {} lower and {} higher", points_of(negated(smallest)),
                     points_of(largest));
}

std::string place_of(const VariantContest& contest, const std::string& worker) {
  std::string text = " at " + base::count_of(contest.last_gpus, worker);
  if (contest.advantages.size() > 1) {
    text += fmt::format(" in {} configurations", contest.advantages.size());
  }
  return text;
}

/// Returns the comparison of the values of a contest in words, with the smallest and the largest
/// advantage if several configurations were compared. `a` of the contest comes first.
std::string comparison_clause(const VariantContest& contest, const std::string& worker,
                              const Quality& quality) {
  const std::string a = quoted_value(contest.a), b = quoted_value(contest.b);
  const Estimate& smallest = contest.advantages.front();
  const Estimate& largest = contest.advantages.back();
  const bool is_one = contest.advantages.size() == 1;
  const std::string place = place_of(contest, worker);
  if (is_equal(contest, quality)) {
    return fmt::format("No difference in accuracy between {} and {} was found{}: {}", a, b, place,
                       with_interval(largest, 2, 100, " points"));
  }
  if (quality.is_accuracy) {
    return fmt::format("{} has an accuracy {} than {}{}", a,
                       points_in_words(smallest, largest, is_one), b, place);
  }
  return fmt::format("{} is {}{} times as fast as {}{}", a,
                     is_one ? "" : with_interval(smallest, 2) + " to ", with_interval(largest, 2),
                     b, place);
}

/// Returns the smallest number of repetitions of the compared points.
std::size_t fewest_repeats_of(const VariantContest& contest) {
  std::size_t fewest = contest.advantages.front().n;
  for (const Estimate& advantage : contest.advantages) fewest = std::min(fewest, advantage.n);
  return fewest;
}

/// Returns why `n` repetitions are too few for a test.
std::string too_small(std::size_t n) {
  return fmt::format("n = {} is too small {}", n,
                     n < kFewestForPairTest ? "for a test" : "to test all pairs together");
}

/// Returns the sentence on a contest with enough repetitions for a test.
std::string contest_sentence(const VariantContest& contest, const std::string& worker,
                             const Quality& quality) {
  std::string text = comparison_clause(contest, worker, quality);
  if (contest.finding == Finding::NotDistinguishable) {
    if (is_equal(contest, quality)) return text + ".";
    const auto n = static_cast<std::int64_t>(fewest_repeats_of(contest));
    return fmt::format("{}, but {} cannot tell {} from none.", text,
                       base::count_of(n, "repetition"),
                       contest.advantages.size() > 1 ? "these differences" : "this difference");
  }
  if (contest.from_gpus < contest.last_gpus) {
    text += fmt::format(", and {}{} from {} on", quality.is_accuracy ? "is " : "",
                        quality.comparative, base::count_of(contest.from_gpus, worker));
  }
  return text + ".";
}

/// Returns the value that is better than each of the two or more other values of the axis, or an
/// empty text if there is none.
std::string winner_of(const std::vector<const VariantContest*>& contests) {
  std::map<std::string, std::size_t> won, met;
  for (const VariantContest* one : contests) {
    ++met[one->a];
    ++met[one->b];
    if (one->finding == Finding::Faster) ++won[one->a];
  }
  for (const auto& [value, count] : won) {
    if (count >= 2 && count + 1 == met.size()) return value;
  }
  return "";
}

/// Returns the values that the contests compare.
std::set<std::string> values_of(const std::vector<const VariantContest*>& contests) {
  std::set<std::string> values;
  for (const VariantContest* one : contests) values.insert({one->a, one->b});
  return values;
}

/// Returns the sentence on the contest with the largest difference of `contests`, or an empty text
/// if all differences are 0.
std::string largest_difference(const std::vector<const VariantContest*>& contests,
                               const std::string& worker, const Quality& quality) {
  const VariantContest& largest = **std::ranges::max_element(
      contests, {}, [](const VariantContest* one) { return one->advantages.back().value; });
  if (is_equal(largest, quality)) return "";
  return fmt::format(" The largest of their differences is that {}.",
                     comparison_clause(largest, worker, quality));
}

/// Returns the sentences on all contests of an axis that have too few repetitions for a test, or an
/// empty text without such contests. `all` is the number of contests of the axis.
std::string untested_sentence(const std::vector<const VariantContest*>& untested, std::size_t all,
                              const std::string& worker, const Quality& quality) {
  if (untested.empty()) return "";
  std::size_t n = 0;
  for (const VariantContest* one : untested) {
    for (const Estimate& advantage : one->advantages) n = std::max(n, advantage.n);
  }
  if (all == 1) {
    const VariantContest& only = *untested.front();
    return fmt::format(" {}, but {}.", comparison_clause(only, worker, quality), too_small(n));
  }
  const auto pairs = static_cast<std::int64_t>(untested.size());
  const std::string values =
      untested.size() == all ? "the values" : base::count_of(pairs, "other pair");
  return fmt::format(" {} cannot be compared, because {}.", values, too_small(n)) +
         largest_difference(untested, worker, quality);
}

/// Returns the sentences on the contests of one axis. `all` is not empty.
std::string axis_sentences(const std::vector<const VariantContest*>& all,
                           const AnsweredStudy& study, const Quality& quality) {
  std::vector<const VariantContest*> shown = all;
  const auto first_untested = std::stable_partition(
      shown.begin(), shown.end(),
      [](const VariantContest* one) { return one->finding != Finding::TooFewRepeats; });
  const std::string untested =
      untested_sentence({first_untested, shown.end()}, all.size(), study.worker, quality);
  shown.erase(first_untested, shown.end());
  const std::string winner = winner_of(all);
  const auto order = [&](const VariantContest* one) {
    if (one->finding != Finding::Faster) return 2;
    return one->a == winner ? 0 : 1;
  };
  std::stable_sort(shown.begin(), shown.end(),
                   [&](const auto* a, const auto* b) { return order(a) < order(b); });
  std::string text = short_axis(all.front()->axis, study.all_axes) + ":";
  const bool all_equal = std::all_of(all.begin(), all.end(), [](const VariantContest* one) {
    return one->finding == Finding::NotDistinguishable;
  });
  if (all_equal && all.size() > 1) {
    return text +
           fmt::format(" the repetitions cannot tell the {} of {} values apart.", quality.noun,
                       values_of(all).size()) +
           largest_difference(all, study.worker, quality);
  }
  if (!winner.empty())
    text += fmt::format(" {} is {} than the others.", quoted_value(winner), quality.comparative);
  const std::size_t count = std::min(shown.size(), kMostContests);
  for (std::size_t i = 0; i < count; ++i) {
    text += " " + contest_sentence(*shown[i], study.worker, quality);
  }
  if (shown.size() > count) {
    text +=
        fmt::format(" {} not listed here.",
                    base::count_of(shown.size() - count, "further pair is", "further pairs are"));
  }
  return text + untested;
}

std::optional<Answer> contest_answer(const AnsweredStudy& study,
                                     const std::vector<VariantContest>& all,
                                     const Quality& quality) {
  if (all.empty()) return std::nullopt;
  Answer answer{quality.question, "", true};
  std::vector<std::string> axes = study.axes;
  for (const VariantContest& one : all) {
    if (std::find(axes.begin(), axes.end(), one.axis) == axes.end()) axes.push_back(one.axis);
    answer.is_supported = answer.is_supported && one.finding != Finding::TooFewRepeats;
  }
  for (const std::string& axis : axes) {
    std::vector<const VariantContest*> own;
    for (const VariantContest& one : all) {
      if (one.axis == axis) own.push_back(&one);
    }
    if (own.empty()) continue;
    answer.text += (answer.text.empty() ? "" : " ") + axis_sentences(own, study, quality);
  }
  return answer;
}

/// Returns a sentence for each axis in which points differ, but none of whose pairs of points was
/// compared. The sentence states the condition that differs.
std::string refused_sentences(const AnsweredStudy& study, const Verdicts& verdicts) {
  std::string text;
  for (const auto& [axis, reason] : verdicts.refused_axes) {
    const bool is_compared =
        std::ranges::any_of(verdicts.pairs, [&](const Verdict& pair) { return pair.axis == axis; });
    if (axis == kGpus || is_compared) continue;
    text += fmt::format(
        "{}{}: not compared, because a condition differs ({}; use --mixed to compare anyway).",
        text.empty() ? "" : " ", short_axis(axis, study.all_axes), reason);
  }
  return text;
}

/// Returns the answer to the question which values are faster. The answer also names the axes whose
/// values were not compared because of their conditions. Returns an empty value if the study has no
/// pairs.
std::optional<Answer> faster_answer(const AnsweredStudy& study, const Verdicts& verdicts,
                                    const Quality& quality) {
  std::optional<Answer> answer = contest_answer(study, contests(speed_pairs(verdicts)), quality);
  const std::string refused = refused_sentences(study, verdicts);
  if (refused.empty()) return answer;
  if (!answer) return Answer{quality.question, refused, false};
  answer->text += " " + refused;
  return answer;
}

/// Returns whether a pair has enough repetitions for a test.
bool is_tested(const Verdicts& verdicts) {
  return std::ranges::any_of(
      verdicts.pairs, [](const Verdict& pair) { return pair.finding != Finding::TooFewRepeats; });
}

}  // namespace

std::optional<Answer> speed_answer(const AnsweredStudy& study) {
  std::optional<Answer> answer = faster_answer(study, study.verdicts, kSpeed);
  if (answer && is_tested(study.verdicts)) {
    answer->text += " Each factor is the median over all pairs of repetitions.";
  }
  return answer;
}

std::optional<Answer> batch_speed_answer(const AnsweredStudy& study) {
  std::optional<Answer> answer = faster_answer(study, study.batches, kBatchSpeed);
  if (!answer || !is_tested(study.batches)) return answer;
  answer->text +=
      " The factors compare samples/s, as medians over all pairs of repetitions. A larger batch "
      "takes "
      "fewer optimizer steps per epoch, which can change the accuracy.";
  return answer;
}

std::optional<Answer> accurate_variant_answer(const AnsweredStudy& study) {
  return contest_answer(study, contests(accuracy_pairs(study.accuracies)), kAccuracy);
}

}  // namespace dlscale::analysis
