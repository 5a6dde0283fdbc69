// SPDX-License-Identifier: Apache-2.0
// VGG network of 11 layers.
#include "trainer/models/vgg.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_vgg11_net(const ModelContext& context) {
  return make_vgg(context, {.convolutions = {1, 1, 2, 2, 2}, .batch_norm = false});
}

}  // namespace

extern const ModelEntry vgg11_entry;
const ModelEntry vgg11_entry{.name = "vgg11",
                             .summary = "VGG network of 11 layers, 8 of them convolutions",
                             .make = make_vision_model<make_vgg11_net>,
                             .backbone = make_vgg11_net,
                             .has_dropout = true,
                             .blocks = 11};

}  // namespace dlscale::trainer
