// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/augmentation.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <string>

using namespace dlscale;

namespace {

/// Returns a shifted image of two channels with 2x3 pixels as letters, with '.' for 0.
std::string moved(const trainer::Shift& shift) {
  const std::string image = "abcdefABCDEF";
  std::array<std::uint8_t, 12> out{};
  trainer::shift_image(reinterpret_cast<const std::uint8_t*>(image.data()), {2, 2, 3}, shift,
                       out.data());
  std::string text;
  for (const std::uint8_t pixel : out) text += pixel == 0 ? '.' : static_cast<char>(pixel);
  return text;
}

}  // namespace

TEST_CASE("a positive shift moves an image up and left, a negative shift down and right") {
  CHECK(moved({}) == "abcdefABCDEF");
  CHECK(moved({.down = 1}) == "def...DEF...");
  CHECK(moved({.down = -1}) == "...abc...ABC");
  CHECK(moved({.right = 1}) == "bc.ef.BC.EF.");
  CHECK(moved({.right = -2}) == "..a..d..A..D");
  CHECK(moved({.down = 1, .right = -1}) == ".de....DE...");
}

TEST_CASE("an image is mirrored after it is shifted") {
  CHECK(moved({.mirrored = true}) == "cbafedCBAFED");
  CHECK(moved({.right = 1, .mirrored = true}) == ".cb.fe.CB.FE");
}

TEST_CASE("an image that is shifted beyond its edge becomes empty") {
  CHECK(moved({.down = 2}) == "............");
  CHECK(moved({.down = -5, .right = 9}) == "............");
}

TEST_CASE("shifts are uniformly distributed, and half of the images are mirrored") {
  const trainer::Augmentation augmentation{.random_crop = 2, .random_flip = true, .seed = 3};
  constexpr int kDraws = 50000;
  std::map<std::pair<int, int>, int> places;
  int mirrored = 0;
  for (int sample = 0; sample < kDraws; ++sample) {
    const auto shift = trainer::draw_shift(augmentation, 4, sample);
    ++places[{shift.down, shift.right}];
    mirrored += shift.mirrored;
  }
  CHECK(places.size() == 25);
  // The margins are five standard deviations of a binomial distribution with 50,000 draws.
  for (const auto& [place, count] : places) CHECK(count == Approx(kDraws / 25).margin(5 * 44));
  CHECK(mirrored == Approx(kDraws / 2).margin(5 * 112));
}

TEST_CASE("the shift of a sample is reproducible and changes with seed and epoch") {
  const trainer::Augmentation augmentation{.random_crop = 9, .random_flip = true, .seed = 3};
  auto other = augmentation;
  other.seed = 4;
  int alike_epochs = 0, alike_seeds = 0;
  for (int sample = 0; sample < 200; ++sample) {
    const auto drawn = trainer::draw_shift(augmentation, 1, sample);
    const auto same = [&](const trainer::Shift& shift) {
      return shift.down == drawn.down && shift.right == drawn.right &&
             shift.mirrored == drawn.mirrored;
    };
    CHECK(same(trainer::draw_shift(augmentation, 1, sample)));
    alike_epochs += same(trainer::draw_shift(augmentation, 2, sample));
    alike_seeds += same(trainer::draw_shift(other, 1, sample));
  }
  CHECK(alike_epochs < 10);
  CHECK(alike_seeds < 10);
}

TEST_CASE("disabled augmentations are not applied") {
  CHECK_FALSE(trainer::Augmentation{}.is_on());
  for (int sample = 0; sample < 50; ++sample) {
    CHECK_FALSE(trainer::draw_shift({.random_crop = 3}, 0, sample).mirrored);
    const auto flipped = trainer::draw_shift({.random_flip = true}, 0, sample);
    CHECK(flipped.down == 0);
    CHECK(flipped.right == 0);
  }
}
