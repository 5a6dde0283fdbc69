// SPDX-License-Identifier: Apache-2.0
// Defines the predictions that `predictions.jsonl` in a plan folder holds, one per line. They are
// saved before the runs are measured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Predicted number with its lower and upper bound. All three are 0 if the number was not
/// predicted.
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
  /// Data used: "measured steps, measured all-reduces", "roofline, …".
  std::string basis;
  std::string calibration;       ///< SHA-256 of the calibration; empty if there is none
  PredictedValue step_s;         ///< time of an optimizer step
  PredictedValue samples_per_s;  ///< samples per second of all GPUs together
  PredictedValue epoch_s;        ///< time of an epoch, training only
  PredictedValue efficiency;     ///< efficiency relative to the smallest GPU count of the curve
  PredictedValue memory_bytes;   ///< memory of a GPU
  PredictedValue run_s;          ///< time of all epochs
  /// Parts of an optimizer step in seconds; 0 if not predicted. Communication is the time of all
  /// collectives, including the part that computation hides. `main_kernels_s` is the part of
  /// computation_s in convolutions, matrix products, normalisation and pooling.
  double loading_s = 0, computation_s = 0, communication_s = 0, main_kernels_s = 0;
  /// Part of the step in which ranks communicate or wait for the slowest rank, and which
  /// computation does not hide, in seconds; 0 if not predicted.
  double exposed_communication_s = 0;
  /// Trainable scalars of the model and training samples of an epoch; 0 if unknown.
  std::int64_t trainable_parameters = 0, train_samples = 0;
  std::string mode = {};  ///< "inference" if a step is a forward pass; empty for training
  bool operator==(const RunPrediction&) const = default;
};

/// Returns whether two predictions are equal except for their times.
bool says_same(RunPrediction a, const RunPrediction& b);

std::string to_json_line(const RunPrediction& prediction);

struct PredictionsFile {
  std::vector<RunPrediction> predictions;  ///< predictions in the order in which they were made
  int skipped = 0;                         ///< number of lines that are not predictions
};

/// Reads predictions. Never throws because of the content. Skips and counts lines that are not
/// predictions, such as the incomplete last line of a killed writer or lines of a newer version.
PredictionsFile parse_predictions(std::string_view text);

}  // namespace dlscale::contract
