// SPDX-License-Identifier: Apache-2.0
// Batch normalisation over the samples of one rank or of several ranks.
#pragma once

#include <torch/nn/modules/batchnorm.h>

namespace at {
class Tensor;
}

namespace dlscale::trainer {

/// The ranks whose samples count as one batch.
class StatisticsSum {
 public:
  enum class Pass { forward, backward };
  /// **Collective** among these ranks, in the same order on each rank. Replaces `values`, a dense
  /// floating-point tensor, by the sum over all ranks. `pass` is the pass in which the sum is
  /// requested.
  virtual void sum(const at::Tensor& values, Pass pass) = 0;

 protected:
  ~StatisticsSum() = default;
};

// Internal to models/*.cpp: batch normalisation of images over the samples of this rank or of all
// ranks.

/// Layer like torch::nn::BatchNorm2d with the same names (weight, bias, running_mean, running_var,
/// num_batches_tracked) and defaults. With other ranks the layer is equivalent to PyTorch's
/// SyncBatchNorm:
/// - Training normalises by mean and variance over the samples of all ranks, which may have
///   different numbers of samples.
/// - The backward pass is that of one batch. The gradients of weight and bias cover the samples of
///   this rank only.
/// - Evaluation uses the running statistics and does not communicate.
class BatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  /// `ranks` must outlive the layer. Null selects the samples of this rank alone.
  explicit BatchNorm2dImpl(std::int64_t channels, StatisticsSum* ranks = nullptr);
  /// Normalises samples x channels x height x width in any memory format. Under autocast the type
  /// of `input` may be smaller than that of the parameters.
  at::Tensor forward(const at::Tensor& input) { return forward_then(input, {}, false); }
  at::Tensor forward_relu(const at::Tensor& input) { return forward_then(input, {}, true); }
  /// Returns ReLU(forward(input) + added), which ends a residual block.
  at::Tensor forward_add_relu(const at::Tensor& input, const at::Tensor& added) {
    return forward_then(input, added, true);
  }
  /// Converts the layer, except num_batches_tracked, which stays an integer.
  void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false) override;
  using torch::nn::BatchNorm2dImpl::to;

 private:
  at::Tensor forward_then(const at::Tensor& input, const at::Tensor& added, bool relu);
  at::Tensor normalised(const at::Tensor& input);

  StatisticsSum* ranks_;
};

TORCH_MODULE(BatchNorm2d);

}  // namespace dlscale::trainer
