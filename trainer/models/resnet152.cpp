// SPDX-License-Identifier: Apache-2.0
// Residual network of 152 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Model> make(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 8, 36, 3}, .bottleneck = true});
}

}  // namespace

extern const ModelEntry resnet152_entry;
const ModelEntry resnet152_entry{"resnet152",
                                 "residual network, 50 bottlenecks of three convolutions", make};

}  // namespace dlscale::trainer
