// SPDX-License-Identifier: Apache-2.0
// Optimizers Adam and AdamW, which keep running means of the gradients and of the squared
// gradients.
#pragma once

#include <memory>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

/// Term of the update rule to which weight decay is added.
enum class DecayPlace {
  gradient,  ///< g += wd p: Kingma and Ba, Adam, 2015, as in PyTorch
  parameter  ///< p -= lr wd p: Loshchilov and Hutter, Decoupled Weight Decay, 2019
};

/// Creates Adam or AdamW as PyTorch defines them. In step t, the optimizer updates a parameter p
/// with the gradient g and the learning rate lr:
///   m = b1 m + (1 - b1) g
///   v = b2 v + (1 - b2) g^2
///   p -= lr / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + epsilon)
std::unique_ptr<Optimizer> make_moment_optimizer(const contract::OptimizerSpec& spec,
                                                 const Stepped& stepped, DecayPlace decay);

}  // namespace dlscale::trainer
