// SPDX-License-Identifier: Apache-2.0
// Chooses the part of an image that is used: a random part for training and the centre for testing,
// as torchvision's RandomResizedCrop and CenterCrop do.
#pragma once

#include <functional>

#include "images/picture.hpp"

namespace dlscale::images {

/// Bounds of the area and the shape of a random part of an image.
struct CropBounds {
  double scale_from = 0.08;  ///< smallest share of the image's area that the part covers
  double scale_to = 1;
  double ratio_from = 3.0 / 4;  ///< smallest ratio of width to height
  double ratio_to = 4.0 / 3;
};

/// Function that returns random numbers in [0, 1). The numbers are uniform and independent of each
/// other.
using Uniform = std::function<double()>;

/// Returns a random part of an image. The share of the area is uniform within the bounds, the ratio
/// of width to height is log-uniform, and all positions have equal probability. A part that does
/// not fit into the image is drawn again, up to ten draws in total. If no draw fits, returns the
/// largest centred part whose ratio is within the bounds. (torchvision/transforms/transforms.py,
/// RandomResizedCrop.get_params)
Box random_part(Size picture, const CropBounds& bounds, const Uniform& uniform);

/// Returns a centred square whose sides have `side` pixels, rounded as in torchvision's
/// center_crop. Both sides of `picture` must have at least `side` pixels.
Box middle_part(Size picture, int side);

}  // namespace dlscale::images
