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

/// Largest number of curves of a group for which the answer states each efficiency.
constexpr std::size_t kMostNamed = 3;

/// Curves with the same result. Their efficiencies can differ.
struct CountGroup {
  std::vector<CurveKey> keys;                   ///< keys of the curves
  std::vector<std::size_t> members;             ///< indices of the curves among all with a result
  std::vector<const WorthwhileCount*> results;  ///< results of the curves
  const WorthwhileCount* lowest = nullptr;      ///< result with the lowest efficiency
  const WorthwhileCount* nearest = nullptr;     ///< result with the highest efficiency at `beyond`
};

/// Returns a text on a value of the curves of a group. `text_of` returns the value of one curve as
/// text. The result is one of:
/// - the value alone, if all curves have the same value
/// - the value of each curve with the name of the curve, for at most kMostNamed curves
/// - the value of the curve `extreme` with its name and the words `which`, for more curves
template <class TextOf>
std::string values_in_group(const CountGroup& group, const WorthwhileCount* extreme,
                            const char* which, TextOf text_of) {
  std::vector<std::string> values;
  for (const WorthwhileCount* one : group.results) values.push_back(text_of(*one));
  const bool is_shared = std::ranges::all_of(
      values, [&](const std::string& value) { return value == values.front(); });
  if (is_shared) return values.front();
  const std::vector<std::string> axes = varying_axes(group.keys);
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string named = fmt::format("{} with {}", values[i], name_among(group.keys[i], axes));
    if (values.size() > kMostNamed) {
      if (group.results[i] != extreme) continue;
      return fmt::format("{}, the {} of {} configurations", named, which, values.size());
    }
    const bool is_last = i + 1 == values.size();
    text += (i == 0 ? "" : is_last ? " and " : ", ") + named;
  }
  return text;
}

std::string effective(const CountEfficiency& at) {
  return with_interval(at.efficiency, 2);
}

/// Returns a text on the efficiencies of the curves of the group at the count beyond the worthwhile
/// one.
std::string beyond_efficiencies(const CountGroup& group) {
  return values_in_group(group, group.nearest, "highest",
                         [](const WorthwhileCount& one) { return effective(*one.beyond); });
}

/// Returns a text on the efficiencies and speed-ups of the curves of the group at the worthwhile
/// count.
std::string worthwhile_numbers(const CountGroup& group) {
  const auto efficiency_of = [](const WorthwhileCount& one) { return effective(*one.at_count); };
  const auto speedup_of = [](const WorthwhileCount& one) {
    return fmt::format("{:.1f}", one.speedup);
  };
  if (group.results.size() > kMostNamed) {
    return values_in_group(group, group.lowest, "lowest", [&](const WorthwhileCount& one) {
      return fmt::format("efficiency {}, speed-up {}", efficiency_of(one), speedup_of(one));
    });
  }
  return fmt::format("efficiency {}, speed-up {}",
                     values_in_group(group, group.lowest, "lowest", efficiency_of),
                     values_in_group(group, group.lowest, "lowest", speedup_of));
}

/// Returns the sentence on the count beyond the worthwhile one.
std::string beyond_sentence(const CountGroup& group, const AnsweredStudy& study) {
  const WorthwhileCount& result = *group.nearest;
  if (!result.beyond) return " No larger count was measured.";
  const std::string at =
      fmt::format(" At {} the efficiency is {}", base::count_of(result.beyond->gpus, study.worker),
                  beyond_efficiencies(group));
  if (!result.is_beyond_unclear) return at + ".";
  return at + fmt::format(": the repetitions cannot tell whether the efficiency is at least {}.",
                          study.options.min_efficiency);
}

/// Returns the sentences for a group whose worthwhile count is above the reference.
std::string scaling_sentences(const CountGroup& group, const AnsweredStudy& study) {
  const WorthwhileCount& result = *group.lowest;
  const std::string many = base::count_of(result.gpus, study.worker);
  const std::string numbers = worthwhile_numbers(group);
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
  return fmt::format(
      "use up to {}, the largest count whose efficiency has a lower bound of at least {}: {}.{}{}",
      many, study.options.min_efficiency, numbers, doubt, beyond_sentence(group, study));
}

/// Returns the clause that only one count looks worthwhile.
std::string only(int count, const std::string& worker) {
  return fmt::format("only {} {} worthwhile", base::count_of(count, worker),
                     count == 1 ? "looks" : "look");
}

/// Returns the sentences for a group in which no count above the reference is worthwhile.
std::string reference_sentences(const CountGroup& group, const AnsweredStudy& study) {
  const WorthwhileCount& result = *group.nearest;
  const std::string baseline = base::count_of(result.gpus, study.worker);
  const std::string beyond = base::count_of(result.beyond->gpus, study.worker);
  const std::string numbers = beyond_efficiencies(group);
  if (result.is_beyond_unclear) {
    return fmt::format(
        "more than {} may or may not be worthwhile: at {} the efficiency is {}. The repetitions "
        "cannot tell whether the efficiency is at least {}.",
        baseline, beyond, numbers, study.options.min_efficiency);
  }
  return fmt::format("{}: at {} the efficiency is {}, below {}.",
                     result.is_proven ? "use " + baseline : only(result.gpus, study.worker), beyond,
                     numbers, study.options.min_efficiency);
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
    group.keys.push_back(study.curves[i].key);
    group.results.push_back(&*result);
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
                      : (base::is_digit(name[0]) ? "For " : "With ") + name + ", " + text);
    answer.is_supported = answer.is_supported && group.lowest->is_proven &&
                          (group.lowest->at_count || !group.lowest->is_beyond_unclear);
  }
  const auto single = std::ranges::count_if(
      study.curves, [](const ScalingCurve& curve) { return curve.points.size() == 1; });
  if (single > 0) {
    answer.text += fmt::format(
        " {} measured at a single count.",
        base::count_of(single, "further configuration was", "further configurations were"));
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
                           " here, and to {} in tables and figures. With --baseline per-curve, "
                           "tables and figures use the counts of this answer.",
                           fmt::join(of_tables, " or "));
  if (groups.size() > kMostGroups) {
    answer.text += fmt::format(" The table of efficiencies shows {} further results.",
                               groups.size() - kMostGroups);
  }
  return answer;
}

}  // namespace dlscale::analysis
