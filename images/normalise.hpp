// SPDX-License-Identifier: Apache-2.0
// Converts the pixels of an image to the numbers that a model reads. The image can be mirrored, and
// its colours can be stored in separate planes.
#pragma once

#include <array>
#include <cstdint>

#include "images/picture.hpp"

namespace dlscale::images {

/// Normalisation of red, green and blue: (pixel / 255 - mean) / deviation, computed as pixel *
/// scale - shift.
struct Normalisation {
  std::array<float, kColours> scale{};
  std::array<float, kColours> shift{};
  /// Computes `scale` and `shift` from the mean and the deviation of pixel values between 0 and 1.
  Normalisation(const std::array<double, kColours>& mean,
                const std::array<double, kColours>& deviation);
};

/// Order of the numbers of an image in a batch.
enum class Layout {
  planes,         ///< colour x height x width, as in contiguous tensors of PyTorch
  channels_last,  ///< height x width x colour
};

/// Writes height x width x kColours normalised numbers to `out`. Mirrors the image left to right if
/// `mirrored` is true.
void normalise(PictureView picture, const Normalisation& by, bool mirrored, Layout layout,
               float* out);

/// Writes the bytes of the pixels without normalisation. Otherwise works like normalise().
void copy_pixels(PictureView picture, bool mirrored, Layout layout, std::uint8_t* out);

}  // namespace dlscale::images
