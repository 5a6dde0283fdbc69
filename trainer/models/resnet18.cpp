// SPDX-License-Identifier: Apache-2.0
// Residual network of 18 layers.
#include "trainer/models/resnet.hpp"

namespace dlscale::trainer {
namespace {

std::unique_ptr<Model> make(const ModelContext& context) {
  return make_resnet(context, {.blocks = {2, 2, 2, 2}, .bottleneck = false});
}

}  // namespace

extern const ModelEntry resnet18_entry;
const ModelEntry resnet18_entry{"resnet18", "residual network, 8 blocks of two convolutions", make};

}  // namespace dlscale::trainer
