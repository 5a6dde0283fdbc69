// SPDX-License-Identifier: Apache-2.0
// Computes the errors of saved predictions by comparing them with measurements.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/frame.hpp"

namespace dlscale::analysis {

/// Quantity that is both predicted and measured.
struct PredictedQuantity {
  const char* id;     ///< identifier, e.g. "step_s"
  const char* title;  ///< title, e.g. "step time"
  contract::PredictedValue contract::RunPrediction::*said;
  /// Returns the quantity of each repeat of a point, without the repeats that did not measure the
  /// quantity.
  std::vector<double> (*measured)(const KeptPrediction& kept,
                                  const std::vector<const RunRow*>& repeats);
};

/// Returns the quantities that are compared with predictions: step time, throughput, epoch time,
/// memory of a rank, and training time of all epochs.
std::span<const PredictedQuantity> predicted_quantities();

/// Predicted value of a point with the measured value that it is compared with.
struct ScoredValue {
  const KeptPrediction* kept;
  const RunRow* run;  ///< first of the point's runs, which identifies the point
  contract::PredictedValue said;
  double measured = 0;  ///< median over the repeats that measured the quantity
  std::size_t n = 0;    ///< number of repeats that measured the quantity
  double error() const { return said.value / measured - 1; }
  bool inside() const { return said.low <= measured && measured <= said.high; }
};

/// Runs of a frame by their ids. The frame must not change while the map is in use.
using RunsById = std::unordered_map<std::string_view, const RunRow*>;
RunsById runs_by_id(const Frame& frame);

/// Returns the runs of the predicted point that completed and have a throughput, in the frame's
/// order.
std::vector<const RunRow*> runs_of(const RunsById& runs, const KeptPrediction& kept);

/// Returns the predicted and the measured value of a quantity for each point that has both, in the
/// order of the frame's predictions.
std::vector<ScoredValue> score(const Frame& frame, const PredictedQuantity& quantity);

struct ErrorSummary {
  std::size_t points = 0;
  /// Number of points whose prediction was saved after their first run had started.
  std::size_t afterwards = 0;
  double median_error = 0;  ///< median of |predicted / measured - 1|
  double worst_error = 0;   ///< error with the largest magnitude, with its sign
  double bias = 0;          ///< median of predicted / measured - 1
  std::size_t inside = 0;   ///< number of points whose measured value is within the predicted range
  const RunRow* worst = nullptr;
};

/// Returns a summary of the errors, or an empty value for an empty list.
std::optional<ErrorSummary> summary_of(const std::vector<ScoredValue>& values);

}  // namespace dlscale::analysis
