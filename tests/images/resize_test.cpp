// SPDX-License-Identifier: Apache-2.0
#include "images/resize.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

#include "images/kernels.hpp"
#include "images/normalise.hpp"

using namespace dlscale::images;

namespace {

/// Image of noise in a buffer that ends directly after the last pixel.
struct Noise {
  std::vector<std::uint8_t> bytes;
  Size size;
  Noise(Size of, std::mt19937& random) : size(of) {
    bytes.resize(static_cast<std::size_t>(kColours * of.height * of.width));
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  }
  PictureView view() const {
    return {bytes.data(), size.height, size.width, std::ptrdiff_t{kColours} * size.width};
  }
};

std::vector<std::uint8_t> copied_pixels(PictureView view) {
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < view.height; ++y) {
    pixels.insert(pixels.end(), view.row(y), view.row(y) + kColours * view.width);
  }
  return pixels;
}

int largest_difference(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b) {
  REQUIRE(a.size() == b.size());
  int most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

/// Returns a filter that has `count` random weights per output pixel and reads the whole range of
/// old pixels.
Filter any_filter(int from, std::size_t to, int count, std::mt19937& random) {
  Filter filter{.taps = (count + 3) / 4 * 4, .bits = 14};
  for (std::size_t i = 0; i < to; ++i) {
    filter.first.push_back(static_cast<int>(i) * (from - count) /
                           std::max(1, static_cast<int>(to) - 1));
    filter.count.push_back(count);
    for (int k = 0; k < filter.taps; ++k) {
      const auto weight = static_cast<std::int16_t>(random() % (2 * (1 << 14) / count));
      filter.weights.push_back(k < count ? weight : std::int16_t{0});
    }
  }
  return filter;
}

int side(std::mt19937& random) {
  return 1 + static_cast<int>(random() % 60);
}

}  // namespace

TEST_CASE("the kernels for this processor give the bytes of the portable kernels") {
  std::mt19937 random(3);
  for (int i = 0; i < 300; ++i) {
    const Noise noise({side(random), side(random)}, random);
    const int count = 1 + static_cast<int>(random() % std::min(noise.size.width, 13));
    const auto to = static_cast<std::size_t>(side(random));
    const Filter along = any_filter(noise.size.width, to, count, random);
    const std::size_t row_bytes = kColours * to + 4;
    std::vector<std::uint8_t> best(row_bytes * static_cast<std::size_t>(noise.size.height)),
        plain = best;
    const auto stride = static_cast<std::ptrdiff_t>(row_bytes);
    best_kernels().along_rows(noise.view(), along, best.data(), stride);
    portable_kernels().along_rows(noise.view(), along, plain.data(), stride);
    for (int y = 0; y < noise.size.height; ++y) {
      const auto first = y * stride;
      INFO(noise.size.height << "x" << noise.size.width << " to " << to << " by " << count);
      REQUIRE(std::equal(best.begin() + first, best.begin() + first + stride - 4,
                         plain.begin() + first));
    }
    const int rows = 1 + static_cast<int>(random() % std::min(noise.size.height, 13));
    const Filter down = any_filter(noise.size.height, to, rows, random);
    std::vector<std::uint8_t> line(static_cast<std::size_t>(kColours * noise.size.width)),
        other = line;
    const auto bytes = static_cast<std::ptrdiff_t>(line.size());
    best_kernels().down_columns(noise.view(), down, to - 1, bytes, line.data());
    portable_kernels().down_columns(noise.view(), down, to - 1, bytes, other.data());
    REQUIRE(line == other);
  }
}

TEST_CASE("the kernels for this processor give the numbers of the portable kernels") {
  std::mt19937 random(4);
  const Normalisation by({0.485, 0.456, 0.406}, {0.229, 0.224, 0.225});
  for (int i = 0; i < 100; ++i) {
    const Noise noise({1, side(random)}, random);
    const auto count = static_cast<std::size_t>(noise.size.width);
    for (const bool mirrored : {false, true}) {
      for (const bool planes : {false, true}) {
        std::vector<float> best(3 * count), plain = best;
        const auto to = [&](std::vector<float>& out) {
          const std::ptrdiff_t colour = planes ? noise.size.width : 1;
          return RowOfNumbers{by,
                              mirrored,
                              {out.data(), out.data() + colour, out.data() + 2 * colour},
                              planes ? 1 : kColours};
        };
        best_kernels().normalise_row(noise.bytes.data(), noise.size.width, to(best));
        portable_kernels().normalise_row(noise.bytes.data(), noise.size.width, to(plain));
        REQUIRE(best == plain);
      }
    }
  }
}

TEST_CASE("normalised pixels are written in the layout of the model") {
  const std::vector<std::uint8_t> pixels{10, 20, 30, 40, 50, 60};  // two neighbouring pixels
  const PictureView picture{pixels.data(), 1, 2, 6};
  const Normalisation by({0.5, 0.5, 0.5}, {0.25, 0.25, 0.25});
  const auto number = [](int pixel) { return Approx((pixel / 255.0 - 0.5) / 0.25); };
  float out[6];
  normalise(picture, by, false, Layout::planes, out);
  CHECK(out[0] == number(10));
  CHECK(out[1] == number(40));
  CHECK(out[2] == number(20));
  normalise(picture, by, true, Layout::channels_last, out);
  CHECK(out[0] == number(40));
  CHECK(out[5] == number(30));
  std::uint8_t bytes[6];
  copy_pixels(picture, true, Layout::planes, bytes);
  CHECK(std::vector<int>(bytes, bytes + 6) == std::vector<int>{40, 10, 50, 20, 60, 30});
}

TEST_CASE("a scaled part has the pixels of the whole scaled image, within one level") {
  std::mt19937 random(5);
  Resizer resizer;
  for (int i = 0; i < 100; ++i) {
    const Noise noise({side(random), side(random)}, random);
    const Size to{side(random), side(random)};
    const auto resample = i % 2 == 0 ? Resample::antialiased : Resample::bilinear;
    const auto all = copied_pixels(resizer.resize(noise.view(), to, resample));
    const PictureView scaled{all.data(), to.height, to.width, kColours * to.width};
    const int top = static_cast<int>(random() % to.height),
              left = static_cast<int>(random() % to.width);
    const Box part{top, left, 1 + static_cast<int>(random() % (to.height - top)),
                   1 + static_cast<int>(random() % (to.width - left))};
    CHECK(largest_difference(copied_pixels(resizer.resize_part(noise.view(), to, part, resample)),
                             copied_pixels(scaled.part(part))) <= 1);
  }
}

TEST_CASE("a constant colour is preserved for all sizes") {
  Resizer resizer;
  for (const int grey : {0, 1, 128, 254, 255}) {
    const std::vector<std::uint8_t> pixels(3 * 700 * 9, static_cast<std::uint8_t>(grey));
    for (const Size from : {Size{1, 1}, Size{9, 700}, Size{700, 9}}) {
      for (const Size to : {Size{1, 1}, Size{7, 7}, Size{224, 224}}) {
        const auto out = copied_pixels(
            resizer.resize({pixels.data(), from.height, from.width, 3 * from.width}, to));
        CHECK(std::ranges::all_of(out, [grey](int pixel) { return pixel == grey; }));
      }
    }
  }
}

TEST_CASE("the shorter side gets the requested size, and the longer side is rounded down") {
  CHECK(with_shorter_side({400, 533}, 256) == Size{256, 341});
  CHECK(with_shorter_side({533, 400}, 256) == Size{341, 256});
  CHECK(with_shorter_side({256, 256}, 256) == Size{256, 256});
  CHECK(with_shorter_side({1, 65'500}, 256) == Size{256, 16'768'000});
}

TEST_CASE("a part of a scaled row of pixels does not need memory for the whole row") {
  const std::vector<std::uint8_t> pixels(3 * 65'500, 77);
  Resizer resizer;
  const Size to = with_shorter_side({1, 65'500}, 256);
  const PictureView out =
      resizer.resize_part({pixels.data(), 1, 65'500, 3 * 65'500}, to, {16, 8'383'888, 224, 224});
  CHECK(out.size() == Size{224, 224});
  CHECK(*out.row(223) == 77);
}
