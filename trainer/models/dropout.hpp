// SPDX-License-Identifier: Apache-2.0
// Dropout layer whose random numbers do not depend on earlier draws. Only files in models/ use this
// layer.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// Dropout layer. In training, the layer sets each value to 0 with a given probability and scales
/// the other values so that the expected value stays the same. The choice depends on the seed of
/// the run, the worker, the position of the layer in its net and the number of previous passes.
/// Only the number of previous passes changes during training, so a checkpoint needs to contain
/// only this number. This number is the same on every rank.
class DropoutImpl : public torch::nn::Module {
 public:
  /// Makes the layer. `place` is a number that must differ between the dropout layers of a net.
  DropoutImpl(double probability, std::uint64_t place, const ModelContext& context);
  at::Tensor forward(const at::Tensor& input);
  /// Returns the number of previous passes, as a tensor of one int64 in host memory.
  const at::Tensor& passes() const { return passes_; }

 private:
  double kept_;
  std::uint64_t key_;
  at::Generator generator_;
  at::Tensor passes_;
};

TORCH_MODULE(Dropout);

}  // namespace dlscale::trainer
