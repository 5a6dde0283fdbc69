// SPDX-License-Identifier: Apache-2.0
// Images moved and mirrored at random, as torchvision's RandomCrop(size, padding) and then
// RandomHorizontalFlip do.
#pragma once

#include <cstdint>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

struct Augmentation {
  int random_crop = 0;  ///< pixels of zeros around an image, of which a part of its size is cut
  bool random_flip = false;
  std::uint64_t seed = 0;
  bool is_on() const { return random_crop > 0 || random_flip; }
};

/// How one image is moved.
struct Shift {
  int down = 0;  ///< pixels by which the part that is cut lies lower, -random_crop to random_crop
  int right = 0;
  bool mirrored = false;  ///< after it was cut
};

/// Of seed, epoch and sample alone, so that it is the same whatever rank takes the sample, and
/// after a resume. Shifts are uniform; half of the images are mirrored.
Shift draw_shift(const Augmentation& augmentation, int epoch, std::int64_t sample);

/// `image` is channels x height x width, as is `out`; what lies outside it is 0.
void shift_image(const std::uint8_t* image, const ImageShape& shape, const Shift& shift,
                 std::uint8_t* out);

}  // namespace dlscale::trainer
