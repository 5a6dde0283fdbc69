// SPDX-License-Identifier: Apache-2.0
// AdamW: weight decay shrinks the parameters themselves.
#include "trainer/optim/moment_optimizer.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Optimizer> make_adamw(const contract::OptimizerSpec& spec, const Stepped& stepped) {
  return make_moment_optimizer(spec, stepped, DecayPlace::parameter);
}

}  // namespace

extern const OptimizerEntry adamw_entry;
const OptimizerEntry adamw_entry{"adamw", "AdamW: Adam with weight decay beside the gradient",
                                 make_adamw};

}  // namespace dlscale::trainer
