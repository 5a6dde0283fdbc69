// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: the family of residual networks, of which each depth is a row.
#pragma once

#include <array>
#include <memory>

#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {

struct ResNetDepth {
  std::array<int, 4> blocks;  ///< of each of the four layers
  bool bottleneck;            ///< three convolutions a block, of which the 3x3 one has the stride
};

/// torchvision's definition, names and initial distributions, for any number of classes and images
/// of any size. Images of at most 64 pixels a side get the stem that is usual for CIFAR: a 3x3
/// convolution of stride 1 and no pooling. Every residual block is a block of the model.
std::shared_ptr<VisionNet> make_resnet(const ModelContext& context, const ResNetDepth& depth);

}  // namespace dlscale::trainer
