// SPDX-License-Identifier: Apache-2.0
// What was said of a run before it was measured: lines of `predictions.jsonl` in a plan folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// A number that was predicted, with the band it was said to lie in. 0: not predicted.
struct PredictedValue {
  double value = 0;
  double low = 0;
  double high = 0;
  bool operator==(const PredictedValue&) const = default;
};

/// A prediction counts for all repetitions of a point.
struct RunPrediction {
  std::string point_id;  ///< contract::point_id of its runs
  double time = 0;       ///< seconds since 1970 UTC when it was made
  int gpus = 1;
  std::string basis;  ///< what it rests on: "measured steps, measured all-reduces", "roofline, …"
  std::string calibration;       ///< SHA-256 of the calibration; empty: none
  PredictedValue step_s;         ///< an optimizer step
  PredictedValue samples_per_s;  ///< all GPUs together
  PredictedValue epoch_s;        ///< training alone
  PredictedValue efficiency;     ///< against the fewest GPUs of its curve
  PredictedValue memory_bytes;   ///< of a GPU
  PredictedValue run_s;          ///< all epochs
  bool operator==(const RunPrediction&) const = default;
};

/// Whether both say the same, whenever they were made.
bool says_same(RunPrediction a, const RunPrediction& b);

std::string to_json_line(const RunPrediction& prediction);

struct PredictionsFile {
  std::vector<RunPrediction> predictions;  ///< in the order in which they were made
  int skipped = 0;                         ///< lines that are none
};

/// Never throws on content: a line that is no prediction (a killed writer's last one, a newer
/// version's) is counted and left out.
PredictionsFile parse_predictions(std::string_view text);

}  // namespace dlscale::contract
