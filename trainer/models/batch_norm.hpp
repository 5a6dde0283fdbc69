// SPDX-License-Identifier: Apache-2.0
// Over which samples beside its own a rank's batch norms take their statistics.
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
  /// **Collective** among those ranks, in the same order on each. On return `values`, dense
  /// floating numbers, hold on each rank the sum over all. `pass`: when it is asked for.
  virtual void sum(const at::Tensor& values, Pass pass) = 0;

 protected:
  ~StatisticsSum() = default;
};

// Private to models/*.cpp: batch normalisation of images, of this rank's samples or of all ranks'.

/// torch::nn::BatchNorm2d with its names (weight, bias, running_mean, running_var,
/// num_batches_tracked) and defaults. Given other ranks it is PyTorch's SyncBatchNorm: training
/// normalises by mean and variance over the samples of all of them, however many each has, and
/// backward is that of one batch; gradients of weight and bias are those of this rank's samples.
/// Evaluation goes by the running statistics, without other ranks.
class BatchNorm2dImpl : public torch::nn::BatchNorm2dImpl {
 public:
  /// `ranks` outlives it; null: this rank alone.
  explicit BatchNorm2dImpl(std::int64_t channels, StatisticsSum* ranks = nullptr);
  /// samples x channels x height x width, in any memory format, and of a smaller type than the
  /// parameters under autocast.
  at::Tensor forward(const at::Tensor& input) { return forward_then(input, {}, false); }
  at::Tensor forward_relu(const at::Tensor& input) { return forward_then(input, {}, true); }
  /// ReLU(forward(input) + added), where a residual block ends.
  at::Tensor forward_add_relu(const at::Tensor& input, const at::Tensor& added) {
    return forward_then(input, added, true);
  }
  /// num_batches_tracked stays a whole number.
  void to(torch::Device device, torch::Dtype dtype, bool non_blocking = false) override;
  using torch::nn::BatchNorm2dImpl::to;

 private:
  at::Tensor forward_then(const at::Tensor& input, const at::Tensor& added, bool relu);
  at::Tensor normalised(const at::Tensor& input);

  StatisticsSum* ranks_;
};

TORCH_MODULE(BatchNorm2d);

}  // namespace dlscale::trainer
