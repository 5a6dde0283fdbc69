// SPDX-License-Identifier: Apache-2.0
// Adam and AdamW: steps by running means of gradients and of their squares.
#pragma once

#include <memory>

#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {

// Steps by running means of gradients and of their squares: Adam and AdamW.

/// Where weight decay goes.
enum class DecayPlace {
  gradient,  ///< g += wd p: Kingma and Ba, Adam, 2015, as PyTorch has it
  parameter  ///< p -= lr wd p: Loshchilov and Hutter, Decoupled Weight Decay, 2019
};

/// As PyTorch defines it: m = b1 m + (1 - b1) g; v = b2 v + (1 - b2) g^2; in step t
/// p -= lr / (1 - b1^t) m / (sqrt(v / (1 - b2^t)) + epsilon).
std::unique_ptr<Optimizer> make_moment_optimizer(const contract::OptimizerSpec& spec,
                                                 const Stepped& stepped, DecayPlace decay);

}  // namespace dlscale::trainer
