// SPDX-License-Identifier: Apache-2.0
// Times of kernels that small networks have learned, and what they say of a model's step.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/records/calibration.hpp"
#include "predict/roofline.hpp"

namespace dlscale::predict {

/// What a kernel is called with, as contract::KernelTime::size.
using KernelSize = std::map<std::string, double>;

/// exp of the network's output for ln(sizes), normalised as the model says. `size` has all of the
/// model's inputs, above 0.
Seconds evaluate(const contract::KernelModel& model, const KernelSize& size);

/// Whether every input lies between the least and the most that the model was taught with.
bool is_inside(const contract::KernelModel& model, const KernelSize& size);

/// One kernel that a layer calls.
struct KernelUse {
  std::string_view kernel;
  KernelSize size;
};

/// The kernels of a layer's pass over a batch. Nothing where the layer is none that is measured, or
/// the card does not say its size: cards of images that are not square, older cards.
std::optional<std::vector<KernelUse>> forward_kernels(const contract::LayerCard& layer,
                                                      double batch, double bytes_of_number);
std::optional<std::vector<KernelUse>> backward_kernels(const contract::LayerCard& layer,
                                                       double batch, double bytes_of_number);

/// A step's computation by learned kernels.
struct LearnedTimes {
  /// As in the card. A pass that the models do not know has the roofline's time.
  ComputeTimes times;
  double learned = 0;  ///< share of the roofline's time whose passes were learned
  /// What was left to the roofline: layer and reason, a line for each kind and reason.
  std::vector<std::string> unknown;
};

/// Sum over layers of forward and backward kernels, and the optimizer's update of all parameters.
/// Models of other precisions than the card's are not looked at; the update is fp32's.
LearnedTimes learned_times(const contract::ModelCard& card,
                           const std::vector<contract::KernelModel>& models, double batch,
                           int optimizer_states, const Rates& rates);

}  // namespace dlscale::predict
