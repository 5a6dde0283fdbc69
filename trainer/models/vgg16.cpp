// SPDX-License-Identifier: Apache-2.0
// VGG network of 16 layers.
#include "trainer/models/vgg.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_vgg16_net(const ModelContext& context) {
  return make_vgg(context, {.convolutions = {2, 2, 3, 3, 3}, .batch_norm = false});
}

}  // namespace

extern const ModelEntry vgg16_entry;
const ModelEntry vgg16_entry{.name = "vgg16",
                             .summary = "VGG network of 16 layers, 13 of them convolutions",
                             .make = make_vision_model<make_vgg16_net>,
                             .backbone = make_vgg16_net,
                             .has_dropout = true,
                             .blocks = 16};

}  // namespace dlscale::trainer
