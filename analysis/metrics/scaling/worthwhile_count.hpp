// SPDX-License-Identifier: Apache-2.0
// Finds the largest GPU count of a curve whose efficiency is sufficient with certainty, from the
// intervals of the efficiencies.
#pragma once

#include <optional>

#include "analysis/metrics/scaling/baseline.hpp"
#include "analysis/metrics/scaling/curve.hpp"

namespace dlscale::analysis {

/// GPU count with its efficiency relative to a baseline.
struct CountEfficiency {
  int gpus = 1;
  Estimate efficiency;
};

/// Result of worthwhile_count.
struct WorthwhileCount {
  /// Largest GPU count such that its efficiency and those of all smaller counts are sufficient. If
  /// no count above the baseline's count is sufficient, this is the baseline's GPU count, and
  /// `at_count` is empty.
  int gpus = 1;
  std::optional<CountEfficiency> at_count;  ///< efficiency at `gpus`
  double speedup = 1;                       ///< speed-up at `gpus`
  /// Next larger measured GPU count. Empty if there is none.
  std::optional<CountEfficiency> beyond;
  /// True if the interval at `beyond` contains the demanded efficiency, so that the repeats cannot
  /// decide.
  bool is_beyond_unclear = false;
  /// True if 95 % intervals decide about all counts up to `beyond`. False if a point has too few
  /// repeats for such an interval. Then the range of the repeats decides, or a single value.
  bool is_proven = true;
};

/// Returns the worthwhile GPU count of a curve. An efficiency is sufficient if the low end of its
/// interval is at least `min_efficiency`. Efficiencies are those of efficiency(). Counts below the
/// baseline's count are ignored. Returns an empty value if the curve has no other count.
std::optional<WorthwhileCount> worthwhile_count(const ScalingCurve& curve, const Baseline& baseline,
                                                double min_efficiency);

}  // namespace dlscale::analysis
