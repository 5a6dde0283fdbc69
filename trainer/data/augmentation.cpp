// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/augmentation.hpp"

#include <algorithm>

#include "trainer/data/random_stream.hpp"

namespace dlscale::trainer {
namespace {

/// Key of the random numbers for augmentation. The sampler uses the same seed and epochs. Without
/// this key, the sampler and the augmentation would draw the same random numbers.
constexpr std::uint64_t kPurpose = 0x6175676d656e7421;

}  // namespace

Shift draw_shift(const Augmentation& augmentation, int epoch, std::int64_t sample) {
  RandomStream of_epoch(augmentation.seed ^ kPurpose, static_cast<std::uint64_t>(epoch));
  RandomStream random(of_epoch.next(), static_cast<std::uint64_t>(sample));
  Shift shift;
  if (const int padding = augmentation.random_crop; padding > 0) {
    const auto places = static_cast<std::uint64_t>(2 * padding + 1);
    shift.down = static_cast<int>(random.below(places)) - padding;
    shift.right = static_cast<int>(random.below(places)) - padding;
  }
  shift.mirrored = augmentation.random_flip && random.below(2) == 1;
  return shift;
}

void shift_image(const std::uint8_t* image, const ImageShape& shape, const Shift& shift,
                 std::uint8_t* out) {
  const int first = std::clamp(shift.right, 0, shape.width);
  const int last = std::clamp(shape.width + shift.right, first, shape.width);
  std::fill_n(out, shape.values(), std::uint8_t{0});
  for (int channel = 0; channel < shape.channels; ++channel) {
    for (int y = 0; y < shape.height; ++y, out += shape.width) {
      const int from = y + shift.down;
      if (from >= 0 && from < shape.height) {
        const std::uint8_t* row =
            image + (std::int64_t{channel} * shape.height + from) * shape.width;
        std::copy(row + first, row + last, out + (first - shift.right));
      }
      if (shift.mirrored) std::reverse(out, out + shape.width);
    }
  }
}

}  // namespace dlscale::trainer
