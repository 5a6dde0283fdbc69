// SPDX-License-Identifier: Apache-2.0
// Computes the values of a quantity at the points of a study, or over the course of the training.
#pragma once

#include <string>
#include <vector>

#include "analysis/report/figures/quantities.hpp"
#include "analysis/report/tables/tables.hpp"

namespace dlscale::analysis {

/// Value of a quantity at a point of the study, before its curve in the figure is known.
struct PlacedValue {
  std::size_t quantity = 0;  ///< index of the quantity in the figure
  /// Values of all axes: the key of the scaling curve, the GPU count, the node count, both batches,
  /// and the target if the quantity belongs to a target.
  CurveKey place;
  double x = 0;
  double order = 0;  ///< position on the curve: x, or the epoch or step if x is a time
  Estimate value;    ///< value in the unit of the figure
};

/// Returns the values at all points of the study. Their x values are not set.
std::vector<PlacedValue> values_at_points(const Frame& frame, const AnalysisOptions& options,
                                          const Quantity& quantity);

/// Returns the values over the course of the training, one for each point of the study and each
/// epoch or step window. `axis` is epoch, step, samples or time, and x is in its unit (s for time).
/// Values whose x is unknown are left out.
std::vector<PlacedValue> values_over_training(const Frame& frame, const Quantity& quantity,
                                              const std::string& axis);

/// Returns true if the values over this axis come from step windows.
bool uses_windows(const Quantity& quantity, const std::string& axis);

}  // namespace dlscale::analysis
