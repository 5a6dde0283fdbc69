// SPDX-License-Identifier: Apache-2.0
// Speed-ups and efficiencies beside the times, rates and each other that they follow from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/publications/published_series.hpp"

namespace dlscale::analysis {

/// A speed-up or an efficiency that is not that of the values beside it.
struct ClaimMismatch {
  const Published* claim = nullptr;
  double at = 0;                     ///< GPUs of the claim
  double from = 0;                   ///< GPUs of `base`
  const Published* base = nullptr;   ///< the time or rate that the claim is set against
  const Published* point = nullptr;  ///< the time or rate at the claim's count
  double implied = 0;                ///< what the two give instead
  bool work_grows = false;           ///< times were taken as those of work that grows with the GPUs
};

/// Returns a sentence, with a blank before it, that states whether the work behind the times was
/// taken as fixed or growing. Returns an empty text for rates.
std::string assumption_of(const ClaimMismatch& mismatch);

/// Each claim of the quantity ("speedup" or "efficiency") that a time or rate of its curve
/// contradicts, rounding of all printed digits included. Times are taken for those of fixed work or
/// of work that grows with the GPUs, whichever leaves fewer contradictions on the whole curve. Of
/// equally many, work is fixed unless the publication says that it grows or no time falls.
std::vector<ClaimMismatch> claims_beside_measurements(const Publication& publication,
                                                      const std::string& quantity);

/// A speed-up whose efficiency at the same point is another one.
struct PairMismatch {
  const Published* speedup = nullptr;
  const Published* efficiency = nullptr;
  double ratio = 0;  ///< GPUs over those of the baseline
};

/// Speed-ups of curves beside the efficiencies of the same curves. Speed-ups that name their
/// baseline (`from`) are left out.
std::vector<PairMismatch> speedups_beside_efficiencies(const Publication& publication);

/// The baseline of a curve of speed-ups or efficiencies.
struct SpeedupBase {
  double gpus = 1;  ///< the ideal speed-up is the count over this
  /// The first claim, where the baseline itself is not in the table.
  const Published* first = nullptr;
};
SpeedupBase base_of(const Publication& publication, const PublishedSeries& claims,
                    std::string_view axis);

}  // namespace dlscale::analysis
