// SPDX-License-Identifier: Apache-2.0
// Writing a picture as JPEG.
#pragma once

#include <cstdint>
#include <vector>

#include "images/picture.hpp"

namespace dlscale::images {

inline constexpr int kUsualQuality = 90;

/// Colours at half the resolution (4:2:0), as Pillow's save() does; the same bytes for the same
/// pixels. `quality`: 1 to 100. Throws base::RunError for pictures that JPEG cannot have: sides
/// above kLongestSide.
std::vector<std::uint8_t> encode_jpeg(const PictureView& picture, int quality = kUsualQuality);

}  // namespace dlscale::images
