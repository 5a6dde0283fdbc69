// SPDX-License-Identifier: Apache-2.0
// From the pixels of a picture to what a model takes: mirrored, normalised, colours in planes.
#pragma once

#include <array>
#include <cstdint>

#include "images/picture.hpp"

namespace dlscale::images {

/// (pixel / 255 - mean) / deviation of red, green and blue, as pixel * scale - shift.
struct Normalisation {
  std::array<float, kColours> scale{};
  std::array<float, kColours> shift{};
  /// Of pixels between 0 and 1.
  Normalisation(const std::array<double, kColours>& mean,
                const std::array<double, kColours>& deviation);
};

/// How pixels lie in a batch.
enum class Layout {
  planes,         ///< colour x height x width, PyTorch's contiguous
  channels_last,  ///< height x width x colour
};

/// Writes height x width x kColours numbers, mirrored left to right where `mirrored`.
void normalise(PictureView picture, const Normalisation& by, bool mirrored, Layout layout,
               float* out);

/// The same with bytes as they are.
void copy_pixels(PictureView picture, bool mirrored, Layout layout, std::uint8_t* out);

}  // namespace dlscale::images
