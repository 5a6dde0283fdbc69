// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: dropout whose random numbers do not depend on what was drawn before.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>

#include "trainer/models/model.hpp"

namespace dlscale::trainer {

/// In training sets each value to 0 with a probability, and scales the others so that the mean
/// stays. Which ones follows from the run's seed, the worker, the layer's place in its net and the
/// number of passes before: that number is all its state, and the same on every rank.
class DropoutImpl : public torch::nn::Module {
 public:
  /// `place` tells the dropouts of a net apart.
  DropoutImpl(double probability, std::uint64_t place, const ModelContext& context);
  at::Tensor forward(const at::Tensor& input);
  /// One whole number, in the host's memory.
  const at::Tensor& passes() const { return passes_; }

 private:
  double kept_;
  std::uint64_t key_;
  at::Generator generator_;
  at::Tensor passes_;
};

TORCH_MODULE(Dropout);

}  // namespace dlscale::trainer
