// SPDX-License-Identifier: Apache-2.0
// Defines the record of `dlscale-bench layers`: the time of each layer within a training step.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/model_card.hpp"

namespace dlscale::contract {

/// Operator of a model with its cost and its measured times within a step. Times are medians over
/// the steps.
struct MeasuredLayer {
  LayerCard cost;
  double forward_s = 0;
  double backward_s = 0;
  double update_s = 0;  ///< time to update the layer's parameters; 0 if it has none
  bool operator==(const MeasuredLayer&) const = default;
};

/// Times of all layers of a model in a training step on one device, for one batch size.
struct StepLayers {
  std::string model;
  std::vector<std::int64_t> input;  ///< shape of one sample
  int classes = 0;
  std::string precision = "fp32";
  std::string optimizer = "sgd";  ///< optimizer that updates the parameters
  double momentum = 0;
  std::int64_t batch = 0;
  /// Times of the whole passes, which also contain operators that are not layers, such as views.
  double forward_s = 0;
  double backward_s = 0;
  int repetitions = 0;                ///< number of measured steps
  std::vector<MeasuredLayer> layers;  ///< layers in the order of the forward pass
  std::string device;                 ///< name of the processor or GPU
  std::string host;
  int threads = 0;  ///< number of processor threads; 0 for a GPU
  double time = 0;  ///< time of the measurement, seconds since 1970
  std::map<std::string, std::string> made_with;
  bool operator==(const StepLayers&) const = default;
};

/// Throws base::SpecError with the key of the first impossible value: an empty list of layers, a
/// batch below 1, or a negative time.
void check(const StepLayers& step);

/// Returns the record as one line without a newline.
std::string to_json_line(const StepLayers& step);

}  // namespace dlscale::contract
