// SPDX-License-Identifier: Apache-2.0
// Residual network of 50 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_resnet50_net(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 4, 6, 3}, .bottleneck = true});
}

}  // namespace

extern const ModelEntry resnet50_entry;
const ModelEntry resnet50_entry{.name = "resnet50",
                                .summary = "residual network, 16 bottlenecks of three convolutions",
                                .make = make_vision_model<make_resnet50_net>,
                                .backbone = make_resnet50_net,
                                .is_residual = true,
                                .blocks = 18};

}  // namespace dlscale::trainer
