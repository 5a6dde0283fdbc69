// SPDX-License-Identifier: Apache-2.0
// Functions that write the answer to each question. Private to analysis/report/answer/.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/metrics/scaling/accuracy.hpp"
#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/variant_pair.hpp"
#include "analysis/metrics/scaling/worthwhile_count.hpp"
#include "analysis/report/answer/study_answer.hpp"

namespace dlscale::analysis {

/// Curves of a study with their baselines. The answers to several questions use them.
struct AnsweredStudy {
  const Frame& frame;
  const AnalysisOptions& options;
  std::vector<ScalingCurve> curves;
  std::vector<BaselineChoice> choices;
  Verdicts verdicts;  ///< pairs of points that differ in one axis and do equal work
  Verdicts batches;   ///< pairs of points that differ only in their batch
  std::vector<AccuracyPoint> accuracies;
  std::vector<std::string> axes;      ///< axes in which the curves differ
  std::vector<std::string> all_axes;  ///< all axes of the curves
  std::string worker;                 ///< word for one worker: "GPU" or "rank"

  AnsweredStudy(const Frame& from, const AnalysisOptions& with);
};

/// Returns true if a run completed and its records could be read.
inline bool is_used(const RunRow& run) {
  return completed(run) && run.has_records;
}

// Words.

/// Returns the value between backticks. Backticks in the value become apostrophes. An empty value
/// becomes "none".
std::string quoted_value(std::string value);

/// Returns an estimate with its interval: "0.84 [0.81, 0.87]" for a 95 % interval,
/// "0.84 (range 0.81 to 0.87, n = 3)" for few repeats, and "0.84 (one run)" without an interval.
/// `unit` stands between the value and the interval.
std::string with_interval(const Estimate& estimate, int decimals, double scale = 1,
                          const std::string& unit = "");

/// Returns whether a difference of accuracies is shown as 0.00 points.
bool is_zero_points(const Estimate& difference);

/// Returns the estimate with the opposite sign.
Estimate negated(const Estimate& estimate);

/// Returns a name for the curves with the indices `members` in `all`, the keys of all curves. The
/// name consists of the axis values that only these curves share, the names of at most two curves,
/// or the number of curves. Returns an empty text if `members` contains all curves.
std::string group_name(const std::vector<CurveKey>& all, const std::vector<std::size_t>& members);

/// Returns a condition for `dlscale plan --where` that selects some of the GPU counts, such as
/// "gpus >= 8". Returns an empty text if all counts are selected.
std::string count_condition(const std::set<int>& selected, const std::set<int>& all);

// Answers.

/// Returns the worthwhile GPU count of a curve. Its efficiencies are relative to the curve's
/// knee_reference. A baseline at a larger count would hide the losses up to that count. Returns an
/// empty value if the curve has no baseline or only one GPU count.
std::optional<WorthwhileCount> worthwhile_of(const AnsweredStudy& study, std::size_t curve);

// Each function returns an empty value if the question does not apply to the study.

std::optional<Answer> gpu_count_answer(const AnsweredStudy& study);
std::optional<Answer> speed_answer(const AnsweredStudy& study);
std::optional<Answer> batch_speed_answer(const AnsweredStudy& study);
std::optional<Answer> accurate_variant_answer(const AnsweredStudy& study);
std::optional<Answer> batch_answer(const AnsweredStudy& study);

std::vector<TrustCheck> trust_checks(const AnsweredStudy& study);
std::vector<NextStep> next_steps(const AnsweredStudy& study);

}  // namespace dlscale::analysis
