// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/window.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using trainer::PictureRecipe;
using trainer::dali::window_of;

TEST_CASE("a random window is the crop that native draws for the same sample and epoch") {
  const PictureRecipe recipe{.side = 32, .is_random = true, .random_flip = true, .seed = 7};
  bool mirrored_seen = false, straight_seen = false;
  for (int sample = 0; sample < 40; ++sample) {
    const trainer::Cut cut = draw_cut(recipe, {90, 120}, 3, sample);
    const auto window = window_of(recipe, {90, 120}, 3, sample);
    CHECK(window.decoded == cut.part);
    const auto width = static_cast<float>(cut.part.width);
    CHECK(window.from == std::array{0.0F, cut.mirrored ? width : 0});
    CHECK(window.to == std::array{static_cast<float>(cut.part.height), cut.mirrored ? 0 : width});
    (cut.mirrored ? mirrored_seen : straight_seen) = true;
  }
  CHECK(mirrored_seen);
  CHECK(straight_seen);
}

TEST_CASE("a centre crop is scaled like the whole image and lies within the decoded part") {
  const PictureRecipe recipe{.side = 224, .shorter_side = 256};
  for (const images::Size picture :
       {images::Size{400, 533}, {533, 400}, {256, 256}, {100, 300}, {2000, 3000}}) {
    const auto window = window_of(recipe, picture, 0, 0);
    const images::Size scaled = images::with_shorter_side(picture, recipe.shorter_side);
    const double scale = static_cast<double>(picture.height) / scaled.height;
    CHECK(window.to[0] - window.from[0] == Approx(224 * scale));
    const double top = images::middle_part(scaled, recipe.side).top * scale;
    CHECK(static_cast<float>(window.decoded.top) + window.from[0] == Approx(top).margin(1e-3));
    CHECK(window.decoded.top >= 0);
    CHECK(window.decoded.left >= 0);
    CHECK(window.decoded.top + window.decoded.height <= picture.height);
    CHECK(window.decoded.left + window.decoded.width <= picture.width);
    CHECK(window.to[1] <= static_cast<float>(window.decoded.width) + 1e-3F);
  }
}

TEST_CASE("the decoded part of a large image is limited to the pixels that the centre crop needs") {
  const auto window = window_of({.side = 224, .shorter_side = 256}, {2560, 2560}, 0, 0);
  // 224 of 256 output pixels cover 2240 input pixels, and the filter of an output pixel reaches 10
  // input pixels to either side.
  CHECK(window.decoded.height >= 2260);
  CHECK(window.decoded.height <= 2264);
}

TEST_CASE("an image of one pixel is decoded completely") {
  CHECK(window_of({.side = 8, .shorter_side = 9}, {1, 1}, 0, 0).decoded == images::Box{0, 0, 1, 1});
}
