// SPDX-License-Identifier: Apache-2.0
// Writes the answer to the question how many GPUs to use.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/scaling/worthwhile_count.hpp"
#include "analysis/report/answer/answer_parts.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Largest number of groups of curves that the answer describes.
constexpr std::size_t kMostGroups = 3;

/// Curves with the same result. Their efficiencies can differ.
struct CountGroup {
  std::vector<std::size_t> members;          ///< indices of the curves
  const WorthwhileCount* lowest = nullptr;   ///< result with the lowest efficiency
  const WorthwhileCount* nearest = nullptr;  ///< result with the highest efficiency at `beyond`
};

std::string effective(const CountEfficiency& at) {
  return with_interval(at.efficiency, 2);
}

std::string or_text(const CountGroup& group, const char* words) {
  return group.members.size() > 1 ? words : "";
}

/// Returns the sentence on the count beyond the worthwhile one.
std::string beyond_sentence(const CountGroup& group, const AnsweredStudy& study) {
  const WorthwhileCount& result = *group.nearest;
  if (!result.beyond) return " No larger count was measured.";
  const std::string at = fmt::format(" At {} the efficiency is {}{}",
                                     base::count_of(result.beyond->gpus, study.worker),
                                     effective(*result.beyond), or_text(group, " or less"));
  if (!result.is_beyond_unclear) return at + ".";
  return at + fmt::format(": the repetitions cannot tell whether that is at least {}.",
                          study.options.min_efficiency);
}

/// Returns the sentences for a group whose worthwhile count is above the reference.
std::string scaling_sentences(const CountGroup& group, const AnsweredStudy& study) {
  const WorthwhileCount& result = *group.lowest;
  const std::string many = base::count_of(result.gpus, study.worker);
  const std::string numbers =
      fmt::format("efficiency {}{}, speed-up {:.1f}{}", effective(*result.at_count),
                  or_text(group, " or more"), result.speedup, or_text(group, " or more"));
  const std::string doubt =
      result.at_count->efficiency.value > kPlausibleEfficiency
          ? " This is better than ideal, so the measurement of the reference may be disturbed."
          : "";
  if (!result.is_proven) {
    return fmt::format("up to {} look worthwhile: {}.{}{}", many, numbers, doubt,
                       beyond_sentence(group, study));
  }
  if (!result.beyond) {
    return fmt::format("use up to {}, the largest measured count: {}.{}", many, numbers, doubt);
  }
  return fmt::format("use up to {}: {}, the largest count whose lower bound is at least {}.{}{}",
                     many, numbers, study.options.min_efficiency, doubt,
                     beyond_sentence(group, study));
}

/// Returns the sentences for a group in which no count above the reference is worthwhile.
std::string reference_sentences(const CountGroup& group, const AnsweredStudy& study) {
  const WorthwhileCount& result = *group.nearest;
  const std::string baseline = base::count_of(result.gpus, study.worker);
  const std::string beyond = base::count_of(result.beyond->gpus, study.worker);
  const std::string numbers = effective(*result.beyond) + or_text(group, " or less");
  if (result.is_beyond_unclear) {
    return fmt::format(
        "more than {} may or may not be worthwhile: at {} the efficiency is {}, and the "
        "repetitions cannot tell whether that is at least {}.",
        baseline, beyond, numbers, study.options.min_efficiency);
  }
  return fmt::format("{} {}: at {} the efficiency is {}, below {}.",
                     result.is_proven ? "use" : "only this count looks worthwhile:", baseline,
                     beyond, numbers, study.options.min_efficiency);
}

std::string sentence_case(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

/// Returns the reason why the curves have no worthwhile count.
std::string why_no_count(const AnsweredStudy& study) {
  const std::vector<std::string> problems = describe_problems(study.choices);
  if (!problems.empty()) return "Unknown: " + problems.front() + ".";
  std::set<int> counts;
  for (const ScalingCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.points) counts.insert(point.gpus);
  }
  if (counts.size() == 1) {
    return fmt::format("Unknown: all runs have {}, and efficiency compares several counts.",
                       base::count_of(*counts.begin(), study.worker));
  }
  return "Unknown: no configuration was measured at more than one count above its baseline.";
}

}  // namespace

std::optional<WorthwhileCount> worthwhile_of(const AnsweredStudy& study, std::size_t curve) {
  const std::optional<Baseline>& baseline = study.choices[curve].baseline;
  if (!baseline) return std::nullopt;
  return worthwhile_count(study.curves[curve], knee_reference(study.curves[curve], *baseline),
                          study.options.min_efficiency);
}

std::optional<Answer> gpu_count_answer(const AnsweredStudy& study) {
  if (study.curves.empty()) return std::nullopt;
  Answer answer{fmt::format("How many {}s?", study.worker), "", true};
  std::vector<std::optional<WorthwhileCount>> results(study.curves.size());
  std::vector<CurveKey> keys;
  std::set<std::string> references, of_tables;
  std::map<std::tuple<int, int, bool, bool>, CountGroup> by_result;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    std::optional<WorthwhileCount>& result = results[i];
    result = worthwhile_of(study, i);
    if (!result) continue;
    references.insert(
        knee_reference(study.curves[i], *study.choices[i].baseline).label(study.worker));
    of_tables.insert(study.choices[i].baseline->label(study.worker));
    CountGroup& group = by_result[{-result->gpus, result->beyond ? result->beyond->gpus : 0,
                                   result->is_beyond_unclear, !result->is_proven}];
    group.members.push_back(keys.size());
    keys.push_back(study.curves[i].key);
    const auto at = [](const std::optional<CountEfficiency>& one) {
      return one ? one->efficiency.value : 0;
    };
    if (group.lowest == nullptr || at(result->at_count) < at(group.lowest->at_count)) {
      group.lowest = &*result;
    }
    if (group.nearest == nullptr || at(result->beyond) > at(group.nearest->beyond)) {
      group.nearest = &*result;
    }
  }
  // Groups of more curves come first. Groups of equally many curves are sorted by descending count.
  std::vector<CountGroup> groups;
  for (auto& [result, group] : by_result) groups.push_back(std::move(group));
  std::stable_sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.members.size() > b.members.size();
  });
  if (groups.empty()) return Answer{answer.question, why_no_count(study), false};
  std::size_t described = 0;
  for (const CountGroup& group : groups) {
    if (described++ == kMostGroups) break;
    const std::string name = group_name(keys, group.members);
    const std::string text = group.lowest->at_count ? scaling_sentences(group, study)
                                                    : reference_sentences(group, study);
    answer.text +=
        (answer.text.empty() ? "" : " ") +
        (name.empty() ? sentence_case(text)
                      : (base::is_digit(name[0]) ? "For " : "With ") + name + ": " + text);
    answer.is_supported = answer.is_supported && group.lowest->is_proven &&
                          (group.lowest->at_count || !group.lowest->is_beyond_unclear);
  }
  const bool is_proven = std::all_of(groups.begin(), groups.end(), [](const CountGroup& group) {
    return group.lowest->is_proven;
  });
  if (!is_proven) {
    answer.text +=
        fmt::format(" Fewer than {} repetitions give no 95 % interval, so this is not proven.",
                    kFewestForInterval);
  }
  answer.text += fmt::format(" Efficiency is relative to {}", fmt::join(references, " or "));
  answer.text += references == of_tables
                     ? "."
                     : fmt::format(
                           " here, and to {} in tables and figures. --baseline per-curve "
                           "uses the same counts everywhere.",
                           fmt::join(of_tables, " or "));
  if (groups.size() > kMostGroups) {
    answer.text += fmt::format(" The table of efficiencies shows {} further results.",
                               groups.size() - kMostGroups);
  }
  return answer;
}

}  // namespace dlscale::analysis
