// SPDX-License-Identifier: Apache-2.0
// Compares processed images with torchvision (tests/data/images/make_references.py).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "images/decode.hpp"
#include "images/normalise.hpp"
#include "images/resize.hpp"

using namespace dlscale;
using namespace dlscale::images;

namespace {

const std::string kFolder = DLSCALE_SOURCE_DIR "/tests/data/images/";
/// Largest accepted difference of a colour level. The rounding in the filters, the conversion of
/// inks, and other versions of libjpeg-turbo change a colour by at most one level.
constexpr int kTolerance = 1;

struct Reference {
  std::string file, resample;
  Box part;
  Size size;
  bool mirrored = false;
  std::size_t offset = 0;
  std::size_t bytes() const {
    return static_cast<std::size_t>(kColours * size.height * size.width);
  }
};

std::vector<Reference> references() {
  std::istringstream lines(base::read_file(kFolder + "references.txt"));
  std::vector<Reference> all;
  Reference one;
  while (lines >> one.file >> one.part.top >> one.part.left >> one.part.height >> one.part.width >>
         one.size.height >> one.size.width >> one.resample >> one.mirrored >> one.offset) {
    all.push_back(one);
  }
  return all;
}

std::vector<std::uint8_t> made(const Reference& reference) {
  const std::string text = base::read_file(kFolder + reference.file);
  Decoder decoder;
  Resizer resizer;
  decoder.open({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const PictureView image =
      resizer.resize(decoder.decode(reference.part), reference.size,
                     reference.resample == "bilinear" ? Resample::bilinear : Resample::antialiased);
  std::vector<std::uint8_t> pixels(reference.bytes());
  copy_pixels(image, reference.mirrored, Layout::channels_last, pixels.data());
  return pixels;
}

}  // namespace

TEST_CASE("images are decoded, cropped, scaled and flipped like torchvision, within one level") {
  const std::string expected = base::read_file(kFolder + "references.bin");
  const auto all = references();
  REQUIRE(all.size() > 80);
  for (const Reference& reference : all) {
    const auto pixels = made(reference);
    int worst = 0;
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const int wanted = static_cast<std::uint8_t>(expected.at(reference.offset + i));
      worst = std::max(worst, std::abs(pixels[i] - wanted));
    }
    INFO(reference.file << " " << reference.resample << " " << reference.part.top << " "
                        << reference.part.left << " " << reference.part.height << "x"
                        << reference.part.width << " to " << reference.size.height << "x"
                        << reference.size.width);
    CHECK(worst <= kTolerance);
  }
}

TEST_CASE("the references do not match an image shifted by one pixel") {
  const std::string expected = base::read_file(kFolder + "references.bin");
  Reference moved = references().front();
  moved.part.left += 1;
  moved.part.width -= 1;
  const auto pixels = made(moved);
  int worst = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    const int wanted = static_cast<std::uint8_t>(expected.at(moved.offset + i));
    worst = std::max(worst, std::abs(pixels[i] - wanted));
  }
  CHECK(worst > 4 * kTolerance);
}
