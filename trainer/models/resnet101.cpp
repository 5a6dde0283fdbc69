// SPDX-License-Identifier: Apache-2.0
// Residual network of 101 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Model> make(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 4, 23, 3}, .bottleneck = true});
}

}  // namespace

extern const ModelEntry resnet101_entry;
const ModelEntry resnet101_entry{"resnet101",
                                 "residual network, 33 bottlenecks of three convolutions", make};

}  // namespace dlscale::trainer
