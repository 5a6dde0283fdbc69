// SPDX-License-Identifier: Apache-2.0
// Internal to models/*.cpp: a dropout layer whose random numbers do not depend on earlier draws.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// Dropout layer. In training, the layer sets each value to 0 with a given probability and scales
/// the other values so that the mean stays the same. The choice depends on the seed of the run, the
/// worker, the position of the layer in its net and the number of previous passes. The number of
/// previous passes is the only state and is the same on every rank.
class DropoutImpl : public torch::nn::Module {
 public:
  /// `place` distinguishes the dropout layers of a net.
  DropoutImpl(double probability, std::uint64_t place, const ModelContext& context);
  at::Tensor forward(const at::Tensor& input);
  /// Returns the number of passes so far as one int64 in host memory.
  const at::Tensor& passes() const { return passes_; }

 private:
  double kept_;
  std::uint64_t key_;
  at::Generator generator_;
  at::Tensor passes_;
};

TORCH_MODULE(Dropout);

}  // namespace dlscale::trainer
