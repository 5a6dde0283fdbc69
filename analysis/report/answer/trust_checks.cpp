// SPDX-License-Identifier: Apache-2.0
// Checks whether the results of a study can be trusted.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/metrics/scaling/efficiency.hpp"
#include "analysis/metrics/statistics/outliers.hpp"
#include "analysis/metrics/statistics/summary.hpp"
#include "analysis/report/answer/answer_parts.hpp"
#include "analysis/report/tables/captions.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

using Light = TrustCheck::Light;

/// Returns the losses and accuracies of a run in the order of its epochs.
std::vector<double> learning_of(const RunRow& run) {
  std::vector<double> values;
  for (const EpochRow& epoch : run.epochs) {
    if (std::isfinite(epoch.train_loss)) values.push_back(epoch.train_loss);
  }
  for (const EvalRow& eval : run.evals) {
    for (const double value : {eval.accuracy, eval.loss}) {
      if (std::isfinite(value)) values.push_back(value);
    }
  }
  return values;
}

/// Smallest number of losses and accuracies that two runs with different seeds cannot share by
/// chance.
constexpr std::size_t kFewestToShare = 4;

/// Returns whether all repeats of a point with evaluations have the same losses and accuracies.
bool learn_alike(const CurvePoint& point) {
  if (point.repeats.size() < 2 || point.repeats.front()->evals.empty()) return false;
  const std::vector<double> first = learning_of(*point.repeats.front());
  return first.size() >= kFewestToShare &&
         std::ranges::all_of(point.repeats,
                             [&](const RunRow* run) { return learning_of(*run) == first; });
}

TrustCheck repetition_check(const AnsweredStudy& study) {
  const auto [fewest, most] = repeats_of(study.curves);
  TrustCheck check{Light::Green, "repetitions", "", "efficiency"};
  if (fewest >= kFewestForInterval) {
    check.text =
        fmt::format("each point has {} or more, enough for 95 % intervals", kFewestForInterval);
  } else if (most < 2) {
    check.light = Light::Red;
    check.text = "one run per point, so the spread is unknown";
  } else {
    check.light = Light::Amber;
    check.text = fmt::format("{} {} of the {} that a 95 % interval needs",
                             fewest == most ? "all points have" : "some points have", fewest,
                             kFewestForInterval);
  }
  std::size_t alike = 0;
  for (const ScalingCurve& curve : study.curves) {
    alike += static_cast<std::size_t>(std::ranges::count_if(curve.points, &learn_alike));
  }
  if (alike > 0) {
    check.light = std::max(check.light, Light::Amber);
    check.text += fmt::format(
        "; the repetitions of {} have equal losses and accuracies, probably because of a fixed "
        "seed, so intervals of accuracies do not show how much the accuracy varies",
        base::count_of(alike, "point"));
  }
  return check;
}

/// Returns the used counts that exceed the machine of a local site.
std::set<int> crowded_counts(const AnsweredStudy& study) {
  std::set<int> counts;
  for (const ScalingCurve& curve : study.curves) {
    for (const CurvePoint& point : curve.points) {
      if (study.options.most_gpus > 0 && point.gpus > study.options.most_gpus) {
        counts.insert(point.gpus);
      }
    }
  }
  return counts;
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
  const std::set<int> crowded = crowded_counts(study);
  const std::size_t refused = study.verdicts.refused.size() + study.batches.refused.size();
  if (!mixed.empty()) {
    check.light = Light::Red;
    check.text = fmt::format("different within a comparison ({})", mixed.front());
  } else if (!crowded.empty()) {
    check.light = Light::Amber;
    check.text = fmt::format(
        "{} {} share the cores of this machine, which has enough for {}, so the efficiency "
        "measures the sharing",
        fmt::join(crowded, ", "), base::word_for(*crowded.rbegin(), study.worker),
        study.options.most_gpus);
  } else if (refused > 0) {
    check.light = Light::Amber;
    check.text = fmt::format("{} not compared, because their conditions differ",
                             base::count_of(refused, "pair was", "pairs were"));
    if (!study.verdicts.refused.empty()) check.table = "verdicts";  // which has no pairs of batches
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

}  // namespace dlscale::analysis
