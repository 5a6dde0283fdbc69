// SPDX-License-Identifier: Apache-2.0
// Defines the predictions that were made for runs before they were measured: lines of
// `predictions.jsonl` in a plan folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Predicted number with the bounds of its band. 0 means that the number was not predicted.
struct PredictedValue {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const PredictedValue&) const = default;
};

/// Prediction for all repetitions of a point.
struct RunPrediction {
  std::string point_id;  ///< contract::point_id of the runs
  double time = 0;       ///< time of the prediction, seconds since 1970 UTC
  int gpus = 1;
  std::string basis;             ///< basis: "measured steps, measured all-reduces", "roofline, …"
  std::string calibration;       ///< SHA-256 of the calibration; empty if there is none
  PredictedValue step_s;         ///< time of an optimizer step
  PredictedValue samples_per_s;  ///< samples per second of all GPUs together
  PredictedValue epoch_s;        ///< time of an epoch, training only
  PredictedValue efficiency;     ///< efficiency relative to the fewest GPUs of its curve
  PredictedValue memory_bytes;   ///< memory of a GPU
  PredictedValue run_s;          ///< time of all epochs
  bool operator==(const RunPrediction&) const = default;
};

/// Returns whether two predictions are equal except for their times.
bool says_same(RunPrediction a, const RunPrediction& b);

std::string to_json_line(const RunPrediction& prediction);

struct PredictionsFile {
  std::vector<RunPrediction> predictions;  ///< predictions in the order in which they were made
  int skipped = 0;                         ///< number of lines that are not predictions
};

/// Reads predictions. Never throws because of the content. Counts and skips lines that are not
/// predictions, such as the last line of a killed writer or lines of a newer version.
PredictionsFile parse_predictions(std::string_view text);

}  // namespace dlscale::contract
