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

/// Named sizes of the operands in a kernel call, as in contract::KernelTime::size.
using KernelSize = std::map<std::string, double>;

/// Returns the time of a kernel that the neural network of `model` predicts. The network maps the
/// logarithms of the sizes to the logarithm of the time. Inputs and output are normalised with the
/// means and deviations of the model. `size` must have all inputs of the model, each above 0.
Seconds evaluate(const contract::KernelModel& model, const KernelSize& size);

/// Returns whether every input of the model lies between the smallest and the largest value with
/// which the model was trained.
bool is_inside(const contract::KernelModel& model, const KernelSize& size);

/// Call of a kernel by a layer.
struct KernelUse {
  std::string_view kernel;
  KernelSize size;
};

/// Returns the kernels of a layer's forward pass over a batch. Returns nothing if dlscale does not
/// measure the kernels of this kind of layer, or if the cost model does not contain the size of the
/// layer. Sizes are missing from older cost models and from cost models for images that are not
/// square.
std::optional<std::vector<KernelUse>> forward_kernels(const contract::LayerCard& layer,
                                                      double batch, double bytes_of_number);
/// Returns the kernels of a layer's backward pass over a batch. Returns nothing under the same
/// conditions as forward_kernels().
std::optional<std::vector<KernelUse>> backward_kernels(const contract::LayerCard& layer,
                                                       double batch, double bytes_of_number);

/// Returns the kernel in which an optimizer with this number of states per parameter updates
/// `parameters` scalars.
KernelUse update_kernel(int optimizer_states, double parameters);

/// Precision of the kernel models for updates. Optimizers update fp32 parameters in each precision
/// of the passes.
inline constexpr const char* kUpdatePrecision = "fp32";

/// Returns the bytes of a value that a pass in this precision writes.
double bytes_of_value(std::string_view precision);

/// Reason why a pass has no kernels to estimate.
inline constexpr const char* kNoKernels =
    "not measured, or the cost model does not contain its size";

/// Returns the sum of the times of the kernels. Returns nothing and sets `why` if a kernel has no
/// model in this precision, or if its size is outside the sizes on which the model was trained.
std::optional<Seconds> kernels_time(const std::vector<contract::KernelModel>& models,
                                    std::string_view precision, const std::vector<KernelUse>& uses,
                                    std::string& why);

/// Computation of a step, predicted with learned kernel models.
struct LearnedTimes {
  /// Times of layers in the order of the cost model. A pass without a kernel model has its roofline
  /// time.
  ComputeTimes times;
  double learned = 0;  ///< share of the roofline time of the step that kernel models replace
  /// Passes that keep their roofline time, as one line of text for each kind of layer and reason.
  std::vector<std::string> unknown;
};

/// Returns the times of the forward and backward passes of all layers and of the optimizer's update
/// of all parameters. Uses only kernel models in the precision of `card`, and fp32 models for the
/// update.
LearnedTimes learned_times(const contract::ModelCard& card,
                           const std::vector<contract::KernelModel>& models, double batch,
                           int optimizer_states, const Rates& rates);

}  // namespace dlscale::predict
