// SPDX-License-Identifier: Apache-2.0
// Residual network of 34 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Model> make(const ModelContext& context) {
  return make_resnet(context, {.blocks = {3, 4, 6, 3}, .bottleneck = false});
}

}  // namespace

extern const ModelEntry resnet34_entry;
const ModelEntry resnet34_entry{"resnet34", "residual network, 16 blocks of two convolutions",
                                make};

}  // namespace dlscale::trainer
