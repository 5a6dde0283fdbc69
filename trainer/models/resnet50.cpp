// SPDX-License-Identifier: Apache-2.0
// Residual network of 50 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Model> make(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 4, 6, 3}, .bottleneck = true});
}

}  // namespace

extern const ModelEntry resnet50_entry;
const ModelEntry resnet50_entry{"resnet50",
                                "residual network, 16 bottlenecks of three convolutions", make};

}  // namespace dlscale::trainer
