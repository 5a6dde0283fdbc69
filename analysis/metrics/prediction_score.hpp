// SPDX-License-Identifier: Apache-2.0
// Computes the errors of saved predictions.
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
  /// Returns the value of each repeat of a point that measured the quantity. The result is empty if
  /// no repeat measured it.
  std::vector<double> (*measured)(const KeptPrediction& kept,
                                  const std::vector<const RunRow*>& repeats);
};

/// Returns the quantities: step time, throughput, epoch time, memory of a rank, training time of
/// all epochs.
std::span<const PredictedQuantity> predicted_quantities();

/// Prediction with the measurement that it is compared with.
struct ScoredValue {
  const KeptPrediction* kept;
  const RunRow* run;  ///< one of the point's runs
  contract::PredictedValue said;
  double measured = 0;  ///< median of the repeats
  std::size_t n = 0;    ///< number of repeats
  double error() const { return said.value / measured - 1; }
  bool inside() const { return said.low <= measured && measured <= said.high; }
};

/// Runs of a frame by their ids. The frame must not change while the map is in use.
using RunsById = std::unordered_map<std::string_view, const RunRow*>;
RunsById runs_by_id(const Frame& frame);

/// Returns the runs of a prediction that completed with a throughput, in the frame's order.
std::vector<const RunRow*> runs_of(const RunsById& runs, const KeptPrediction& kept);

/// Returns the scored predictions of a quantity, in the order of the frame's predictions.
std::vector<ScoredValue> score(const Frame& frame, const PredictedQuantity& quantity);

struct ErrorSummary {
  std::size_t points = 0;
  std::size_t afterwards = 0;  ///< points that were predicted after the first run had started
  double median_error = 0;     ///< median of |predicted / measured - 1|
  double worst_error = 0;      ///< error of the largest magnitude, with its sign
  double bias = 0;             ///< median of predicted / measured - 1
  std::size_t inside = 0;      ///< points with a measurement within the predicted band
  const RunRow* worst = nullptr;
};

/// Returns the summary, or an empty value for an empty list.
std::optional<ErrorSummary> summary_of(const std::vector<ScoredValue>& values);

}  // namespace dlscale::analysis
