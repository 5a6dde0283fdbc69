// SPDX-License-Identifier: Apache-2.0
// Private to models/*.cpp: the family of VGG networks, of which each depth is a row.
#pragma once

#include <array>
#include <memory>

#include "trainer/models/vision_net.hpp"

namespace dlscale::trainer {

struct VggDepth {
  std::array<int, 5> convolutions;  ///< between two poolings
  bool batch_norm;                  ///< after each of them
};

/// torchvision's definition, names and initial distributions. Images of at most 64 pixels a side:
/// the classifier gets the mean over the image instead of its means over 7 x 7 parts.
std::shared_ptr<VisionNet> make_vgg(const ModelContext& context, const VggDepth& depth);

}  // namespace dlscale::trainer
