// SPDX-License-Identifier: Apache-2.0
// Checks whether the results of a study can be trusted, and names the runs that are missing.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/scaling/worthwhile_count.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/answer/answer_parts.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

using Light = TrustCheck::Light;

TrustCheck repetition_check(const AnsweredStudy& study) {
  const auto [fewest, most] = repeats_of(study.curves);
  TrustCheck check{Light::Green, "repetitions", "", "efficiency"};
  if (fewest >= kFewestForInterval) {
    check.text =
        fmt::format("each point has {} or more, enough for 95 % intervals", kFewestForInterval);
    return check;
  }
  check.light = most < 2 ? Light::Red : Light::Amber;
  check.text = most < 2 ? "one run per point: the spread is unknown"
                        : fmt::format("some points have {} of the {} that a 95 % interval needs",
                                      fewest, kFewestForInterval);
  return check;
}

TrustCheck condition_check(const AnsweredStudy& study) {
  TrustCheck check{Light::Green, "conditions", "equal within each comparison", ""};
  std::vector<std::string> mixed;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    for (const std::string& text : {study.curves[i].mixed, study.choices[i].mixed}) {
      if (!text.empty() && std::find(mixed.begin(), mixed.end(), text) == mixed.end()) {
        mixed.push_back(text);
      }
    }
  }
  const std::size_t refused = study.verdicts.refused.size() + study.batches.refused.size();
  if (!mixed.empty()) {
    check.light = Light::Red;
    check.text = "mixed: " + mixed.front();
  } else if (refused > 0) {
    check.light = Light::Amber;
    check.text = fmt::format("{} not compared, because their conditions differ",
                             base::count_of(refused, "pair was", "pairs were"));
    check.table = "verdicts";
  }
  return check;
}

TrustCheck step_check(const AnsweredStudy& study) {
  std::size_t late = 0, unsteady = 0, runs = 0;
  for (const RunRow& run : study.frame.runs) {
    if (!has_throughput(run)) continue;
    ++runs;
    unsteady += run.warmup.unsteady > 0;
    late += run.warmup.late_windows > 0;
  }
  TrustCheck check{Light::Green, "steps", "no sign of unstable step times", "definitions"};
  if (unsteady > 0) {
    check.light = Light::Amber;
    check.text = fmt::format("the step times of {} of {} never became steady", unsteady,
                             base::count_of(runs, "run"));
  } else if (late > 0) {
    check.light = Light::Amber;
    check.text = fmt::format(
        "the step times of {} of {} became steady after the marked warm-up (see --warmup)", late,
        base::count_of(runs, "run"));
  }
  return check;
}

TrustCheck run_check(const AnsweredStudy& study) {
  const std::vector<RunRow>& runs = study.frame.runs;
  TrustCheck check{Light::Green, "runs", describe_use(study.frame), ""};
  if (std::all_of(runs.begin(), runs.end(), &is_used)) return check;
  const auto used = static_cast<std::size_t>(std::count_if(runs.begin(), runs.end(), &is_used));
  check.light = 2 * used < runs.size() ? Light::Red : Light::Amber;
  return check;
}

/// Variations (standard deviation / mean of the time per sample over the repeats of a point) above
/// which the light is amber and red. docs/reports.md states both.
constexpr double kWideVariation = 0.1;
constexpr double kExtremeVariation = 0.3;

/// Checks how much the repeats of a point differ. Returns an empty value if no point has repeats.
std::optional<TrustCheck> spread_check(const AnsweredStudy& study) {
  double largest = 0;
  std::string where;
  std::size_t wide = 0, points = 0;
  for (const ScalingCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.points) {
      const std::vector<double>& times = point.seconds_per_sample;
      if (times.size() < 2) continue;
      ++points;
      const double variation = standard_deviation(times) / mean(times);
      wide += variation > kWideVariation;
      if (variation <= largest) continue;
      largest = variation;
      where = fmt::format("{}, gpus={}", name_among(curve.key, study.axes), point.gpus);
    }
  }
  if (points == 0) return std::nullopt;
  const double percent = 100 * kWideVariation;
  TrustCheck check{Light::Green, "spread",
                   fmt::format("the repetitions of a point vary by at most {:.0f} %", percent),
                   "throughput"};
  if (wide == 0) return check;
  check.light = largest > kExtremeVariation ? Light::Red : Light::Amber;
  check.text = fmt::format(
      "the repetitions vary by up to {:.0f} % (at {}), and by more than {:.0f} % at {} of {}",
      100 * largest, where, percent, wide, base::count_of(points, "point"));
  return check;
}

/// Checks for repeats far from the others, and for efficiencies that are better than ideal.
TrustCheck value_check(const AnsweredStudy& study) {
  std::size_t outlying = 0;
  std::vector<std::string> above;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    for (const CurvePoint& point : study.curves[i].points) {
      const std::vector<double>& times = point.seconds_per_sample;
      if (times.size() >= kFewestForInterval) {
        outlying += left_out(times, OutlierPolicy::Mad).size();
      }
      const auto& baseline = study.choices[i].baseline;
      if (!baseline || efficiency(point, *baseline).value <= kPlausibleEfficiency) continue;
      above.push_back(
          fmt::format("{}, gpus={}", name_among(study.curves[i].key, study.axes), point.gpus));
    }
  }
  TrustCheck check{Light::Green, "values", "plausible, without outliers", "definitions"};
  if (!above.empty()) {
    check.light = Light::Amber;
    check.text = fmt::format("more than 5 % better than ideal at {}{}", above.front(),
                             above.size() > 1 ? fmt::format(" and {} more", above.size() - 1) : "");
    check.table = "efficiency";
  } else if (outlying > 0) {
    check.light = Light::Amber;
    check.text = fmt::format("{} far from the median (see --outliers)",
                             base::count_of(outlying, "repetition is", "repetitions are"));
  }
  return check;
}

// Runs that would answer open questions.

/// Returns the command that plans a study again in its plan folder with a changed key. The command
/// has no option that selects runs, because tables do not show runs that are not in the plan.
std::string plan_command(const std::string& setting) {
  return "dlscale plan study.toml --site site.toml -o . -S " + setting;
}

/// Returns the words that name the folder in which the user runs the commands of a step. A joined
/// frame has several such folders.
const char* folder_words(const AnsweredStudy& study) {
  const bool joined =
      std::ranges::any_of(study.frame.runs, [](const RunRow& run) { return !run.source.empty(); });
  return joined ? ", in the plan folder of each source" : ", in the plan folder";
}

NextStep repeats_step(const AnsweredStudy& study, const std::string& reason,
                      const std::set<int>& at, std::size_t repeats) {
  NextStep step{reason, {}};
  std::set<int> all;
  for (const RunRow& run : study.frame.runs) all.insert(run.gpus);
  const std::string where = count_condition(at, all);
  if (study.frame.is_imported) {
    step.reason += fmt::format(": run each point {} times{} and collect the logs", repeats,
                               where.empty() ? "" : " (only " + where + ")");
    return step;
  }
  step.reason += folder_words(study);
  step.commands = {plan_command(fmt::format("study.repeats={}", repeats)),
                   "dlscale submit" + (where.empty() ? "" : " --where '" + where + "'")};
  return step;
}

/// Returns the text of a list with `gpus` and the next two counts that result from doubling.
std::string doubled_counts(int gpus) {
  return fmt::format("{}, {}, {}", gpus, 2 * gpus, 4 * gpus);
}

void add_count_step(std::vector<NextStep>& steps, const AnsweredStudy& study) {
  std::set<int> counts, unclear;
  std::size_t repeats = 0;
  for (std::size_t i = 0; i < study.curves.size(); ++i) {
    for (const CurvePoint& point : study.curves[i].points) {
      counts.insert(point.gpus);
      repeats = std::max(repeats, point.repeats.size());
    }
    const std::optional<WorthwhileCount> result = worthwhile_of(study, i);
    if (result && result->is_beyond_unclear && result->is_proven) {
      unclear.insert(result->beyond->gpus);
    }
  }
  if (counts.size() == 1) {
    const std::string reason =
        fmt::format("to compare counts, also measure other numbers of {}s", study.worker);
    steps.push_back({reason, {}});
    if (!study.frame.is_imported) {
      steps.back().reason += folder_words(study);
      steps.back().commands = {
          plan_command(fmt::format("'matrix.gpus=[{}]'", doubled_counts(*counts.begin()))),
          "dlscale submit"};
    }
  } else if (!unclear.empty()) {
    steps.push_back(repeats_step(
        study,
        fmt::format("to decide whether the efficiency is at least {}, repeat more often",
                    study.options.min_efficiency),
        unclear, 2 * repeats));
  }
}

}  // namespace

std::vector<TrustCheck> trust_checks(const AnsweredStudy& study) {
  std::vector<TrustCheck> checks;
  if (!study.curves.empty()) {
    checks = {repetition_check(study), condition_check(study), step_check(study)};
    if (std::optional<TrustCheck> spread = spread_check(study)) checks.push_back(*spread);
    checks.push_back(value_check(study));
  }
  checks.push_back(run_check(study));
  return checks;
}

std::vector<NextStep> next_steps(const AnsweredStudy& study) {
  std::vector<NextStep> steps;
  std::set<int> few;
  for (const ScalingCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.points) {
      if (point.repeats.size() < kFewestForInterval) few.insert(point.gpus);
    }
  }
  if (!few.empty()) {
    steps.push_back(
        repeats_step(study, "for 95 % intervals, repeat more often", few, kFewestForInterval));
  }
  add_count_step(steps, study);
  return steps;
}

}  // namespace dlscale::analysis
