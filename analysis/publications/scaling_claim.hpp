// SPDX-License-Identifier: Apache-2.0
// Compares stated speed-ups and efficiencies with the times and rates from which they follow, and
// with each other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {

/// Speed-up or efficiency that differs from the value that the times or rates of the same table
/// imply.
struct ClaimMismatch {
  const Published* claim = nullptr;
  double at = 0;                     ///< GPU count of the claim
  double from = 0;                   ///< GPU count of `base`
  const Published* base = nullptr;   ///< time or rate at the baseline
  const Published* point = nullptr;  ///< time or rate at the GPU count of the claim
  double implied = 0;                ///< speed-up or efficiency that `base` and `point` imply
  bool work_grows = false;           ///< true if the work was assumed to grow with the GPUs
};

/// Returns a sentence that states whether the work was assumed to be fixed or to grow with the
/// GPUs. The sentence begins with a blank. Returns an empty text if the claim was compared with
/// rates.
std::string assumption_of(const ClaimMismatch& mismatch);

/// Returns the claims of the quantity ("speedup" or "efficiency") that a time or rate of the same
/// curve contradicts, even when the rounding of all printed digits is considered. The work behind
/// the times is assumed to be fixed or to grow with the GPUs, whichever gives fewer contradictions
/// on the whole curve. If both assumptions give equally many contradictions, the work is fixed
/// unless the publication states that it grows or no time falls.
std::vector<ClaimMismatch> claims_beside_measurements(const Publication& publication,
                                                      const std::string& quantity);

/// Speed-up that disagrees with the efficiency stated for the same point.
struct PairMismatch {
  const Published* speedup = nullptr;
  const Published* efficiency = nullptr;
  double ratio = 0;  ///< GPU count divided by the GPU count of the baseline
};

/// Returns the speed-ups that disagree with the efficiencies of the same curve. Ignores speed-ups
/// that name their baseline (`from`).
std::vector<PairMismatch> speedups_beside_efficiencies(const Publication& publication);

/// Baseline of a curve of speed-ups or efficiencies.
struct SpeedupBase {
  /// GPU count of the baseline. The ideal speed-up on n GPUs is n divided by this count.
  double gpus = 1;
  /// First claim of the curve if the table lacks the baseline, otherwise null.
  const Published* first = nullptr;
};
SpeedupBase base_of(const Publication& publication, const PublishedSeries& claims,
                    std::string_view axis);

}  // namespace dlscale::analysis
