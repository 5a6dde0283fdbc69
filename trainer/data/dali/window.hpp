// SPDX-License-Identifier: Apache-2.0
// Selection of the pixels of an image that DALI decodes and scales, so that DALI's images agree
// with those of the loader `native`.
#pragma once

#include <array>

#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer::dali {

struct Window {
  images::Box decoded;  ///< part of the image to decode
  /// Corners of the part of `decoded` that is scaled, in pixels of `decoded`: down, right. The
  /// columns run from right to left when the image is mirrored.
  std::array<float, 2> from{};
  std::array<float, 2> to{};
};

/// Returns the window that PictureMaker uses for a sample. For a centre cut, only the pixels that
/// its scaling filter reads are decoded.
Window window_of(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample);

}  // namespace dlscale::trainer::dali
