// SPDX-License-Identifier: Apache-2.0
// VGG network of 11 layers, a batch norm after each convolution.
#include "trainer/models/vgg.hpp"

namespace dlscale::trainer {
namespace {

std::shared_ptr<VisionNet> make_vgg11_bn_net(const ModelContext& context) {
  return make_vgg(context, {.convolutions = {1, 1, 2, 2, 2}, .batch_norm = true});
}

}  // namespace

extern const ModelEntry vgg11_bn_entry;
const ModelEntry vgg11_bn_entry{.name = "vgg11_bn",
                                .summary = "VGG network of 11 layers, with batch norms",
                                .make = make_vision_model<make_vgg11_bn_net>,
                                .backbone = make_vgg11_bn_net,
                                .has_dropout = true,
                                .blocks = 11};

}  // namespace dlscale::trainer
