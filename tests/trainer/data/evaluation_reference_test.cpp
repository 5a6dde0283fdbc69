// SPDX-License-Identifier: Apache-2.0
// Tests that scale and crop the images in tests/data/images like torchvision's Resize and
// CenterCrop, which is how images of a test set are prepared. make_references.py in that folder
// wrote the expected values.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "trainer/data/picture_files.hpp"
#include "trainer/data/picture_maker.hpp"

using namespace dlscale;

namespace {

const std::filesystem::path kData = DLSCALE_SOURCE_DIR "/tests/data";
/// Tolerance in levels of a byte, the same as for random crops (tests/images/reference_test.cpp).
constexpr int kTolerance = 1;

struct Evaluation {
  std::string file, resample;
  int shorter = 0, side = 0;
  std::size_t offset = 0;
};

std::vector<Evaluation> evaluations() {
  std::istringstream lines(base::read_file(kData / "images/evaluation.txt"));
  std::vector<Evaluation> all;
  Evaluation one;
  while (lines >> one.file >> one.shorter >> one.side >> one.resample >> one.offset) {
    all.push_back(one);
  }
  return all;
}

/// Returns the bytes that a loader would deliver for a test set that contains only the
/// file of `evaluation`.
std::vector<std::uint8_t> made(const Evaluation& evaluation) {
  const trainer::PictureFiles source(kData, {"images"}, {{kData / "images" / evaluation.file, 0}});
  const trainer::PictureRecipe recipe{.side = evaluation.side,
                                      .shorter_side = evaluation.shorter,
                                      .resample = evaluation.resample == "bilinear"
                                                      ? images::Resample::bilinear
                                                      : images::Resample::antialiased,
                                      .layout = images::Layout::channels_last};
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(recipe.bytes()));
  trainer::PictureMaker(source, recipe).make(0, /*epoch=*/0, pixels.data());
  return pixels;
}

/// Returns the largest difference from torchvision's bytes.
int worst_of(const std::vector<std::uint8_t>& pixels, std::size_t offset) {
  static const std::string expected = base::read_file(kData / "images/evaluation.bin");
  int worst = 0;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    worst =
        std::max(worst, std::abs(pixels[i] - static_cast<std::uint8_t>(expected.at(offset + i))));
  }
  return worst;
}

}  // namespace

TEST_CASE("test images are scaled and cropped like in torchvision, within one level") {
  const auto all = evaluations();
  REQUIRE(all.size() > 30);
  for (const Evaluation& evaluation : all) {
    INFO(evaluation.file << " " << evaluation.resample << " to " << evaluation.shorter
                         << ", the middle " << evaluation.side);
    CHECK(worst_of(made(evaluation), evaluation.offset) <= kTolerance);
  }
}

TEST_CASE("another scale or another filter differs clearly from torchvision's centre crop") {
  for (Evaluation evaluation : evaluations()) {
    if (evaluation.file != "420.jpg") continue;
    Evaluation smaller = evaluation, other = evaluation;
    smaller.shorter -= 1;
    other.resample = evaluation.resample == "bilinear" ? "antialiased" : "bilinear";
    CHECK(worst_of(made(smaller), evaluation.offset) > 4 * kTolerance);
    CHECK(worst_of(made(other), evaluation.offset) > 4 * kTolerance);
  }
}
