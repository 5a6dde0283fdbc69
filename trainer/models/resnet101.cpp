// SPDX-License-Identifier: Apache-2.0
// Residual network of 101 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_resnet101_net(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 4, 23, 3}, .bottleneck = true});
}

}  // namespace

extern const ModelEntry resnet101_entry;
const ModelEntry resnet101_entry{
    .name = "resnet101",
    .summary = "residual network, 33 bottlenecks of three convolutions",
    .make = make_vision_model<make_resnet101_net>,
    .backbone = make_resnet101_net,
    .is_residual = true,
    .blocks = 35};

}  // namespace dlscale::trainer
