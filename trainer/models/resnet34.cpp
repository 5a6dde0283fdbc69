// SPDX-License-Identifier: Apache-2.0
// Residual network of 34 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_resnet34_net(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 4, 6, 3}, .bottleneck = false});
}

}  // namespace

extern const ModelEntry resnet34_entry;
const ModelEntry resnet34_entry{.name = "resnet34",
                                .summary = "residual network, 16 blocks of two convolutions",
                                .make = make_vision_model<make_resnet34_net>,
                                .backbone = make_resnet34_net,
                                .is_residual = true,
                                .blocks = 18};

}  // namespace dlscale::trainer
