// SPDX-License-Identifier: Apache-2.0
// Selection of the part of an image that DALI decodes and scales. The selection gives the DALI
// loaders the same crops as the loader `native`.
#pragma once

#include <array>

#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer::dali {

struct Window {
  images::Box decoded;  ///< part of the image to decode
  /// Two opposite corners of the area within `decoded` that is scaled to the final image. Each
  /// corner is a vertical and a horizontal position in pixels, relative to the top left corner of
  /// `decoded`. If the image is mirrored, the horizontal position of `from` is greater than that of
  /// `to`.
  std::array<float, 2> from{};
  std::array<float, 2> to{};
};

/// Returns the window for a sample, with the same crop as PictureMaker. For a centre crop, the
/// decoded part contains only the pixels that the scaling filter reads.
Window window_of(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample);

}  // namespace dlscale::trainer::dali
