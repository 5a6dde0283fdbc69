// SPDX-License-Identifier: Apache-2.0
// Compares the distribution of random crops with the definition of RandomResizedCrop.
#include "images/crop.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace dlscale::images;

namespace {

constexpr int kDraws = 20'000;

struct Draws {
  std::mt19937_64 random{11};
  std::uniform_real_distribution<double> unit{0, 1};
  Box next(Size picture, const CropBounds& bounds = {}) {
    return random_part(picture, bounds, [this] { return unit(random); });
  }
};

/// Returns the largest distance between the distribution of the values and a uniform distribution
/// over [0, 1] (Kolmogorov-Smirnov statistic).
double distance_from_uniform(std::vector<double> values) {
  std::ranges::sort(values);
  double most = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(values.size());
    most = std::max(most, std::abs(values[i] - share));
  }
  return most;
}

/// Largest accepted distance. A correct crop exceeds this distance by chance in one of 1000
/// experiments with kDraws draws each.
const double kCritical = 1.95 / std::sqrt(kDraws);

double share_of_area(Size picture, const Box& part) {
  return static_cast<double>(part.height) * part.width / picture.height / picture.width;
}

}  // namespace

TEST_CASE("crops that fit have a uniform area and a log-uniform aspect ratio") {
  const Size picture{4000, 4000};  // size that makes rounding to pixels negligible
  const CropBounds bounds{.scale_from = 0.1, .scale_to = 0.7};
  Draws draws;
  std::vector<double> areas, ratios;
  for (int i = 0; i < kDraws; ++i) {
    const Box part = draws.next(picture, bounds);
    areas.push_back((share_of_area(picture, part) - 0.1) / 0.6);
    ratios.push_back(std::log(static_cast<double>(part.width) / part.height * 4 / 3) /
                     std::log(16.0 / 9));
  }
  CHECK(distance_from_uniform(areas) < kCritical);
  CHECK(distance_from_uniform(ratios) < kCritical);
}

TEST_CASE("every position of a crop has the same probability") {
  const Size picture{12, 10};
  Draws draws;
  std::vector<int> tops(5), lefts(3);
  // Every part has 8x8 pixels, with 5 vertical and 3 horizontal positions.
  const CropBounds bounds{64 / 120.0, 64 / 120.0, 1, 1};
  for (int i = 0; i < kDraws; ++i) {
    const Box part = draws.next(picture, bounds);
    REQUIRE(part.height == 8);
    REQUIRE(part.width == 8);
    ++tops.at(static_cast<std::size_t>(part.top));
    ++lefts.at(static_cast<std::size_t>(part.left));
  }
  for (const auto& counts : {tops, lefts}) {
    const double expected = static_cast<double>(kDraws) / static_cast<double>(counts.size());
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    // A correct crop exceeds the limits with a probability of 0.1 %. The 5 positions have 4 degrees
    // of freedom, and the 3 positions have 2.
    CHECK(chi_square < (counts.size() == 5 ? 18.5 : 13.8));
  }
}

TEST_CASE("the mean sizes and positions of crops match torchvision") {
  // The values are from RandomResizedCrop.get_params of torchvision 0.26 for 400x533 pixels, with
  // 300,000 draws of seed 0: tests/data/images/crop_moments.py.
  constexpr double kHeight = 288.20, kWidth = 300.57, kTop = 55.86, kLeft = 116.09;
  const Size picture{400, 533};
  Draws draws;
  double height = 0, width = 0, top = 0, left = 0;
  constexpr int kMany = 200'000;
  for (int i = 0; i < kMany; ++i) {
    const Box part = draws.next(picture);
    height += part.height;
    width += part.width;
    top += part.top;
    left += part.left;
  }
  // The margins are four standard errors of the mean of kMany draws.
  CHECK(height / kMany == Approx(kHeight).margin(0.8));
  CHECK(width / kMany == Approx(kWidth).margin(1.0));
  CHECK(top / kMany == Approx(kTop).margin(0.7));
  CHECK(left / kMany == Approx(kLeft).margin(0.9));
}

TEST_CASE("the largest centre crop is taken if no random crop fits") {
  Draws draws;
  CHECK(draws.next({1000, 10}) == Box{493, 0, 13, 10});
  CHECK(draws.next({10, 1000}) == Box{0, 493, 10, 13});
  CHECK(draws.next({1, 1}) == Box{0, 0, 1, 1});
  CHECK(draws.next({1, 20'000}) == Box{0, 9999, 1, 1});
}

TEST_CASE("crops lie within images of any size") {
  Draws draws;
  for (int i = 0; i < 5000; ++i) {
    const Size picture{1 + static_cast<int>(draws.random() % 40),
                       1 + static_cast<int>(draws.random() % 40)};
    const Box part = draws.next(picture);
    CHECK(part.height >= 1);
    CHECK(part.width >= 1);
    CHECK(part.top >= 0);
    CHECK(part.left >= 0);
    CHECK(part.top + part.height <= picture.height);
    CHECK(part.left + part.width <= picture.width);
  }
}

TEST_CASE("the centre crop is rounded half to even like center_crop of torchvision") {
  CHECK(middle_part({256, 341}, 224) == Box{16, 58, 224, 224});
  CHECK(middle_part({256, 343}, 224) == Box{16, 60, 224, 224});
  CHECK(middle_part({224, 224}, 224) == Box{0, 0, 224, 224});
}
