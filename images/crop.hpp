// SPDX-License-Identifier: Apache-2.0
// Which part of a picture is taken, at random to train on and in the middle to test on; as
// torchvision's RandomResizedCrop and CenterCrop do.
#pragma once

#include <functional>

#include "images/picture.hpp"

namespace dlscale::images {

/// Bounds of a random part.
struct CropBounds {
  double scale_from = 0.08;  ///< share of the picture's area
  double scale_to = 1;
  double ratio_from = 3.0 / 4;  ///< width / height
  double ratio_to = 4.0 / 3;
};

/// Numbers, each uniform in [0, 1) and independent of those before.
using Uniform = std::function<double()>;

/// A part whose share of the area is uniform within the bounds, whose ratio is log-uniform, and
/// which lies anywhere with equal probability. What does not fit is drawn anew, ten times; then it
/// is the largest part in the middle whose ratio is within the bounds.
/// (torchvision/transforms/transforms.py, RandomResizedCrop.get_params)
Box random_part(Size picture, const CropBounds& bounds, const Uniform& uniform);

/// A square of `side` in the middle, rounded as torchvision's center_crop; `picture` is at least as
/// large.
Box middle_part(Size picture, int side);

}  // namespace dlscale::images
