// SPDX-License-Identifier: Apache-2.0
// Tests of the memory that a thread keeps when it decodes images. docs/loaders.md documents the
// limit.
#include <malloc.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"
#include "trainer/data/picture_files.hpp"
#include "trainer/data/picture_maker.hpp"

using namespace dlscale;
using trainer::PictureRecipe;
namespace fs = std::filesystem;

namespace {

constexpr images::Size kJpeg{1500, 2000}, kPng{1200, 3000};
constexpr std::size_t kFileBytes = 3'000'000;
constexpr int kEpochs = 10;

/// Writes a JPEG and a PNG file, both extended with zeros to kFileBytes, and returns them.
trainer::PictureFiles two_files(const fs::path& root) {
  test::write_jpeg(root / "a/0.jpg", kJpeg.height, kJpeg.width, 50);
  test::write_png(root / "a/1.png", kPng.height, kPng.width, 60);
  const auto files = images::class_files(root, {"a"});
  for (const images::ClassFile& file : files) {
    std::string bytes = base::read_file(file.path);
    bytes.resize(kFileBytes);
    base::write_file_atomically(file.path, bytes);
  }
  return {root, {"a"}, files};
}

/// Returns the part of a sample that is decoded.
images::Box part_of(const PictureRecipe& recipe, int epoch, std::int64_t sample) {
  const images::Size size = sample == 0 ? kJpeg : kPng;
  return recipe.is_random ? trainer::draw_cut(recipe, size, epoch, sample).part
                          : images::whole(size);
}

std::size_t pixel_bytes(int height, int width) {
  return std::size_t{images::kColours} * static_cast<std::size_t>(height) *
         static_cast<std::size_t>(width);
}

/// Returns the number of bytes that a thread may keep over all epochs.
std::size_t most_bytes(const PictureRecipe& recipe) {
  constexpr int kBeside = 95;             // additional columns of a JPEG
  constexpr std::size_t kLess = 400'000;  // scaling weights and row buffers of libraries
  std::size_t jpeg = 0, png = 0, scaled = 0;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const images::Box of_jpeg = part_of(recipe, epoch, 0), of_png = part_of(recipe, epoch, 1);
    jpeg = std::max(jpeg, pixel_bytes(of_jpeg.height, of_jpeg.width + kBeside));
    png = std::max(png, pixel_bytes(of_png.height, kPng.width));
    scaled = std::max(scaled, pixel_bytes(std::max(of_jpeg.height, of_png.height), recipe.side));
  }
  return kFileBytes + jpeg + png + scaled + kLess;
}

/// Returns the bytes that this process has allocated with malloc and not freed, or 0 if a sanitizer
/// replaces malloc.
std::size_t allocated_bytes() {
  const struct mallinfo2 facts = ::mallinfo2();
  return facts.uordblks + facts.hblkhd;
}

}  // namespace

TEST_CASE("a thread keeps only its largest file and the largest decoded and scaled images") {
  const test::TempDir folder;
  const auto source = two_files(folder.path());
  PictureRecipe recipe{.side = 64, .is_random = GENERATE(false, true), .shorter_side = 72};
  recipe.bounds.scale_to = 0.2;
  std::vector<std::uint8_t> image(static_cast<std::size_t>(recipe.bytes()));
  const std::size_t most = most_bytes(recipe), before = allocated_bytes();
  trainer::PictureMaker maker(source, recipe);
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    for (const std::int64_t sample : {0, 1}) maker.make(sample, epoch, image.data());
  }
  const std::size_t kept = allocated_bytes() - before;
  CHECK(kept <= most);
  CHECK((before == 0 || kept > most * 3 / 4));
}
