// SPDX-License-Identifier: Apache-2.0
// VGG network of 16 layers, a batch norm after each convolution.
#include "trainer/models/vgg.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_vgg16_bn_net(const ModelContext& context) {
  return make_vgg(context, {.convolutions = {2, 2, 3, 3, 3}, .batch_norm = true});
}

}  // namespace

extern const ModelEntry vgg16_bn_entry;
const ModelEntry vgg16_bn_entry{.name = "vgg16_bn",
                                .summary = "VGG network of 16 layers, with batch norms",
                                .make = make_vision_model<make_vgg16_bn_net>,
                                .backbone = make_vgg16_bn_net,
                                .has_dropout = true,
                                .blocks = 16};

}  // namespace dlscale::trainer
