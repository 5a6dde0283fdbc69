// SPDX-License-Identifier: Apache-2.0
// Random shift and mirroring of images, equivalent to torchvision's RandomCrop(size, padding)
// followed by RandomHorizontalFlip.
#pragma once

#include <cstdint>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

struct Augmentation {
  int random_crop = 0;  ///< width of the zero border before the random crop, in pixels
  bool random_flip = false;
  std::uint64_t seed = 0;
  bool is_on() const { return random_crop > 0 || random_flip; }
};

/// Shift and mirroring of one image.
struct Shift {
  int down = 0;  ///< offset of the crop in pixels, from -random_crop to random_crop
  int right = 0;
  bool mirrored = false;  ///< true if the crop is mirrored
};

/// Draws the shift of a sample. The shift depends only on the seed, the epoch and the sample. A
/// sample therefore gets the same shift on every rank and after a resume. Shifts are uniformly
/// distributed, and each image is mirrored with a probability of 1/2.
Shift draw_shift(const Augmentation& augmentation, int epoch, std::int64_t sample);

/// Writes the shifted image to `out`. `image` and `out` are channels x height x width. Pixels
/// outside `image` are 0.
void shift_image(const std::uint8_t* image, const ImageShape& shape, const Shift& shift,
                 std::uint8_t* out);

}  // namespace dlscale::trainer
