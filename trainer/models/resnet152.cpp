// SPDX-License-Identifier: Apache-2.0
// Residual network of 152 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_resnet152_net(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 8, 36, 3}, .bottleneck = true});
}

}  // namespace

extern const ModelEntry resnet152_entry;
const ModelEntry resnet152_entry{
    .name = "resnet152",
    .summary = "residual network, 50 bottlenecks of three convolutions",
    .make = make_vision_model<make_resnet152_net>,
    .backbone = make_resnet152_net,
    .is_residual = true,
    .blocks = 52};

}  // namespace dlscale::trainer
