// SPDX-License-Identifier: Apache-2.0
// Residual network of 18 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_resnet18_net(const ModelContext& context) {
  return make_resnet(context, {.blocks = {2, 2, 2, 2}, .bottleneck = false});
}

}  // namespace

extern const ModelEntry resnet18_entry;
const ModelEntry resnet18_entry{.name = "resnet18",
                                .summary = "residual network, 8 blocks of two convolutions",
                                .make = make_vision_model<make_resnet18_net>,
                                .backbone = make_resnet18_net,
                                .is_residual = true,
                                .blocks = 10};

}  // namespace dlscale::trainer
