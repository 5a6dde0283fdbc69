// SPDX-License-Identifier: Apache-2.0
// How wrong kept predictions have been.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
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

/// Step time, throughput, epoch time, memory of a rank, training of all epochs.
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

/// A frame's runs by their names; the frame must stay as it is meanwhile.
using RunsById = std::unordered_map<std::string_view, const RunRow*>;
RunsById runs_by_id(const Frame& frame);

/// The completed runs of a prediction, in the frame's order.
std::vector<const RunRow*> runs_of(const RunsById& runs, const KeptPrediction& kept);

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
