// SPDX-License-Identifier: Apache-2.0
#include "images/normalise.hpp"

#include <cstring>

#include "images/kernels.hpp"

namespace dlscale::images {

Normalisation::Normalisation(const std::array<double, kColours>& mean,
                             const std::array<double, kColours>& deviation) {
  constexpr double kBrightest = 255;
  for (std::size_t c = 0; c < kColours; ++c) {
    scale[c] = static_cast<float>(1 / (kBrightest * deviation[c]));
    shift[c] = static_cast<float>(mean[c] / deviation[c]);
  }
}

void normalise(PictureView picture, const Normalisation& by, bool mirrored, Layout layout,
               float* out) {
  const bool planes = layout == Layout::planes;
  const std::ptrdiff_t plane = std::ptrdiff_t{1} * picture.height * picture.width;
  const std::ptrdiff_t colour = planes ? plane : 1, pixel = planes ? 1 : kColours;
  for (int y = 0; y < picture.height; ++y, out += pixel * picture.width) {
    best_kernels().normalise_row(picture.row(y), picture.width,
                                 {by, mirrored, {out, out + colour, out + 2 * colour}, pixel});
  }
}

void copy_pixels(PictureView picture, bool mirrored, Layout layout, std::uint8_t* out) {
  const bool planes = layout == Layout::planes;
  const std::ptrdiff_t plane = std::ptrdiff_t{1} * picture.height * picture.width;
  const std::ptrdiff_t colour = planes ? plane : 1, pixel = planes ? 1 : kColours;
  for (int y = 0; y < picture.height; ++y, out += pixel * picture.width) {
    const std::uint8_t* row = picture.row(y);
    if (!planes && !mirrored) {
      std::memcpy(out, row, static_cast<std::size_t>(pixel * picture.width));
      continue;
    }
    for (int x = 0; x < picture.width; ++x) {
      const std::uint8_t* from = row + kColours * (mirrored ? picture.width - 1 - x : x);
      for (int c = 0; c < kColours; ++c) out[c * colour + x * pixel] = from[c];
    }
  }
}

}  // namespace dlscale::images
