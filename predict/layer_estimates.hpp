// SPDX-License-Identifier: Apache-2.0
// Estimates the measured layers of a step with learned kernel models, and the errors of the
// estimates.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "contract/records/calibration.hpp"

namespace dlscale::predict {

/// Stage of a training step, in the words of Barrachina et al.: FP, BP and WU.
enum class Stage { forward, backward, update };
inline constexpr std::array<Stage, 3> kStages{Stage::forward, Stage::backward, Stage::update};
const char* to_string(Stage stage);

/// Measured and estimated time of a layer in one stage, in seconds.
struct StageTime {
  double measured_s = 0;
  std::optional<double> estimated_s;
  /// Returns estimated / measured - 1, or nothing if a time is missing.
  std::optional<double> error() const {
    if (!estimated_s || measured_s <= 0) return std::nullopt;
    return *estimated_s / measured_s - 1;
  }
};

struct LayerEstimate {
  std::array<StageTime, kStages.size()> stages;
  const StageTime& at(Stage stage) const { return stages[static_cast<std::size_t>(stage)]; }
};

struct LayerEstimates {
  std::vector<LayerEstimate> layers;  ///< estimates in the order of the measured layers
  /// Stages of layers without an estimate, as one line of text for each kind of layer and reason.
  std::vector<std::string> unknown;
};

/// Estimates each stage of each layer of `step` as the sum of its kernels. The kernel models must
/// be of the device on which the layers were measured.
LayerEstimates estimate_layers(const contract::StepLayers& step,
                               const std::vector<contract::KernelModel>& models);

/// Errors of the estimates of one or more stages, over the layers with a measured and an estimated
/// time.
struct StageErrors {
  int layers = 0;          ///< number of layers with both times
  double measured_s = 0;   ///< sum of the measured times of layers with both times
  double estimated_s = 0;  ///< sum of the estimated times of layers with both times
  double covered = 0;      ///< share of measured_s in the measured time of all layers
  double relative = 0;     ///< mean of |estimated / measured - 1| (RE, eq. 2)
  double weighted = 0;     ///< mean of |estimated - measured| / mean measured time (WRE, eq. 3)
  double of_total() const { return estimated_s / measured_s - 1; }
};

/// Smallest share of the measured time of a stage that the estimates must cover, so that their
/// errors describe the whole stage.
inline constexpr double kLeastCovered = 0.9;

/// Returns the errors of the given stages together. Returns nothing if no layer has
/// both a measured and an estimated time.
std::optional<StageErrors> errors_of(const LayerEstimates& estimates,
                                     const std::vector<Stage>& stages);

}  // namespace dlscale::predict
