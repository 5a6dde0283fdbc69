// SPDX-License-Identifier: Apache-2.0
// Adam: weight decay is added to the gradient.
#include "trainer/optim/moment_optimizer.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Optimizer> make_adam(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return make_moment_optimizer(spec, stepped, DecayPlace::gradient);
}

}  // namespace

extern const OptimizerEntry adam_entry;
const OptimizerEntry adam_entry{"adam", "Adam; weight decay is part of the gradient", make_adam};

}  // namespace dlscale::trainer
