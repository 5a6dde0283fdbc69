// SPDX-License-Identifier: Apache-2.0
// Encodes an image as JPEG.
#pragma once

#include <cstdint>
#include <vector>

#include "images/picture.hpp"

namespace dlscale::images {

inline constexpr int kUsualQuality = 90;

/// Returns the image as JPEG. Colours have half the resolution (4:2:0), as in Pillow's save().
/// Equal pixels give equal bytes. `quality` is 1 to 100. Throws base::RunError for images that JPEG
/// cannot store, because a side is above kLongestSide.
std::vector<std::uint8_t> encode_jpeg(const PictureView& picture, int quality = kUsualQuality);

}  // namespace dlscale::images
