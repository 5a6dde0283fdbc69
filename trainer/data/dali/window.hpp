// SPDX-License-Identifier: Apache-2.0
// Which pixels of a picture DALI decodes and scales, so that its images are those of `native`.
#pragma once

#include <array>

#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer::dali {

struct Window {
  images::Box decoded;  ///< part of the picture; of what lies outside nothing is seen
  /// Part of `decoded` that is scaled, in its pixels: down, right. From right to left where the
  /// image is mirrored.
  std::array<float, 2> from{};
  std::array<float, 2> to{};
};

/// The window that PictureMaker would take of a sample. Of the middle only as much is decoded as
/// its filter sees.
Window window_of(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample);

}  // namespace dlscale::trainer::dali
