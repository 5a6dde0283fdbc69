// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over the samples of one rank or of several ranks.
#pragma once

#include <torch/nn/modules/batchnorm.h>

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// Interface for sums over the ranks whose samples form one batch for batch normalisation.
class StatisticsSum {
 public:
  enum class Pass { forward, backward };
  /// **Collective** among these ranks, which must make their calls in the same order. Replaces
  /// `values`, a dense floating-point tensor, with its sum over these ranks. `pass` states whether
  /// the call comes from a forward or a backward pass.
  virtual void sum(const at::Tensor& values, Pass pass) = 0;

 protected:
  ~StatisticsSum() = default;
};

// Batch normalisation of images over the samples of this rank or of several ranks. Only files in
// models/ use this layer.

/// Layer like torch::nn::BatchNorm2d with the same names (weight, bias, running_mean, running_var,
/// num_batches_tracked) and defaults. If the layer has a StatisticsSum, it is equivalent to
/// PyTorch's SyncBatchNorm:
/// - In training, the layer normalises with the mean and the variance over the samples of all
///   ranks. Ranks may have different numbers of samples.
/// - The backward pass treats the samples of all ranks as one batch. Only the gradients of weight
///   and bias are limited to the samples of this rank.
/// - In evaluation, the layer uses the running statistics and does not communicate.
class BatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  /// Makes the layer. `ranks` must outlive the layer. If `ranks` is null, the statistics cover only
  /// the samples of this rank.
  explicit BatchNorm2dImpl(std::int64_t channels, StatisticsSum* ranks = nullptr);
  /// Normalises `input`, which is samples x channels x height x width in any memory format. Under
  /// autocast, `input` may have a smaller type than the parameters.
  at::Tensor forward(const at::Tensor& input) { return forward_then(input, {}, false); }
  at::Tensor forward_relu(const at::Tensor& input) { return forward_then(input, {}, true); }
  /// Returns ReLU(forward(input) + added), which ends a residual block.
  at::Tensor forward_add_relu(const at::Tensor& input, const at::Tensor& added) {
    return forward_then(input, added, true);
  }
  /// Converts the layer to another device and type. num_batches_tracked stays an integer.
  void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false) override;
  using torch::nn::BatchNorm2dImpl::to;

 private:
  at::Tensor forward_then(const at::Tensor& input, const at::Tensor& added, bool relu);
  at::Tensor normalised(const at::Tensor& input);

  StatisticsSum* ranks_;
};

TORCH_MODULE(BatchNorm2d);

}  // namespace dlscale::trainer
