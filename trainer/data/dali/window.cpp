// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/window.hpp"

#include <algorithm>
#include <cmath>

namespace dlscale::trainer::dali {
namespace {

/// Interval along one dimension of an image.
struct Stretch {
  int first = 0;  ///< index of the first decoded pixel
  int size = 0;
  float from = 0, to = 0;  ///< interval to scale, relative to `first`
};

/// Returns the interval of source pixels from which the scaled pixels `first` to first + side are
/// computed. `size` is the number of source pixels along this dimension. `scaled` is the number of
/// pixels along this dimension after scaling.
Stretch old_pixels(int size, int scaled, int first, int side) {
  const double scale = static_cast<double>(size) / scaled;
  const double from = first * scale, to = (first + side) * scale;
  // The triangle filter reads source pixels up to the width of one scaled pixel away. One
  // additional pixel allows for rounding.
  const double reach = std::max(scale, 1.0) + 1;
  const int begin = std::max(0, static_cast<int>(std::floor(from - reach)));
  const int end = std::min(size, static_cast<int>(std::ceil(to + reach)));
  return {begin, end - begin, static_cast<float>(from - begin), static_cast<float>(to - begin)};
}

Window middle(const PictureRecipe& recipe, images::Size picture) {
  const images::Size scaled = images::with_shorter_side(picture, recipe.shorter_side);
  const images::Box part = images::middle_part(scaled, recipe.side);
  const Stretch down = old_pixels(picture.height, scaled.height, part.top, recipe.side);
  const Stretch right = old_pixels(picture.width, scaled.width, part.left, recipe.side);
  return {{down.first, right.first, down.size, right.size},
          {down.from, right.from},
          {down.to, right.to}};
}

}  // namespace

Window window_of(const PictureRecipe& recipe, images::Size picture, int epoch,
                 std::int64_t sample) {
  if (!recipe.is_random) return middle(recipe, picture);
  const Cut cut = draw_cut(recipe, picture, epoch, sample);
  Window window{.decoded = cut.part};
  window.to = {static_cast<float>(cut.part.height), static_cast<float>(cut.part.width)};
  if (cut.mirrored) std::swap(window.from[1], window.to[1]);
  return window;
}

}  // namespace dlscale::trainer::dali
