// SPDX-License-Identifier: Apache-2.0
// How wrong kept predictions have been.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/frame.hpp"

namespace dlscale::analysis {

/// A quantity that is predicted and measured.
struct PredictedQuantity {
  const char* id;     ///< "step_s"
  const char* title;  ///< "step time"
  contract::PredictedValue contract::RunPrediction::*said;
  /// Of a point's repeats what each measured; empty where none did.
  std::vector<double> (*measured)(const KeptPrediction& kept,
                                  const std::vector<const RunRow*>& repeats);
};

/// Step time, throughput, epoch time, memory of a GPU's allocator, training of all epochs.
std::span<const PredictedQuantity> predicted_quantities();

/// A prediction that can be told right or wrong.
struct ScoredValue {
  const KeptPrediction* kept;
  const RunRow* run;  ///< one of its point's
  contract::PredictedValue said;
  double measured = 0;  ///< median of the repeats
  std::size_t n = 0;    ///< repeats
  double error() const { return said.value / measured - 1; }
  bool inside() const { return said.low <= measured && measured <= said.high; }
};

/// The frame's completed runs of a prediction.
std::vector<const RunRow*> runs_of(const Frame& frame, const KeptPrediction& kept);

/// In the order of the frame's predictions.
std::vector<ScoredValue> score(const Frame& frame, const PredictedQuantity& quantity);

struct ErrorSummary {
  std::size_t points = 0;
  std::size_t afterwards = 0;  ///< of them: predicted when the first run had begun
  double median_error = 0;     ///< of |predicted / measured - 1|
  double worst_error = 0;      ///< with its sign
  double bias = 0;             ///< median of predicted / measured - 1
  std::size_t inside = 0;      ///< measured within the band that was said
  const RunRow* worst = nullptr;
};

/// Nothing where there is nothing to score.
std::optional<ErrorSummary> summary_of(const std::vector<ScoredValue>& values);

}  // namespace dlscale::analysis
