// SPDX-License-Identifier: Apache-2.0
// Predicts times of kernels with small neural networks, and the computation of a model's step from
// these times.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

/// Sizes with which a kernel is called, as in contract::KernelTime::size.
using KernelSize = std::map<std::string, double>;

/// Returns the time of a kernel: exp of the network's output for ln(sizes), normalised with the
/// means and deviations of the model. `size` must have all inputs of the model, each above 0.
Seconds evaluate(const contract::KernelModel& model, const KernelSize& size);

/// Returns whether every input lies between the smallest and the largest value with which the model
/// was trained.
bool is_inside(const contract::KernelModel& model, const KernelSize& size);

/// Call of a kernel by a layer.
struct KernelUse {
  std::string_view kernel;
  KernelSize size;
};

/// Returns the kernels of a layer's forward pass over a batch. Returns nothing if kernels of this
/// kind of layer are not measured, or if the card does not contain the size of the layer. Cards for
/// images that are not square and older cards do not contain sizes.
std::optional<std::vector<KernelUse>> forward_kernels(const contract::LayerCard& layer,
                                                      double batch, double bytes_of_number);
/// Returns the kernels of a layer's backward pass over a batch. Returns nothing under the same
/// conditions as forward_kernels().
std::optional<std::vector<KernelUse>> backward_kernels(const contract::LayerCard& layer,
                                                       double batch, double bytes_of_number);

/// Computation of a step with learned kernels.
struct LearnedTimes {
  /// Times of layers in the order of the card. A pass without a kernel model has the time of the
  /// roofline.
  ComputeTimes times;
  double learned = 0;  ///< share of the roofline's time that kernel models replace
  /// Passes that use the roofline: one line for each kind of layer and reason.
  std::vector<std::string> unknown;
};

/// Returns the times of forward and backward kernels of all layers, and of the optimizer's update
/// of all parameters. Uses only kernel models in the precision of the card, and fp32 models for the
/// update.
LearnedTimes learned_times(const contract::ModelCard& card,
                           const std::vector<contract::KernelModel>& models, double batch,
                           int optimizer_states, const Rates& rates);

}  // namespace dlscale::predict
