// SPDX-License-Identifier: Apache-2.0
// Tests that compare images of the real DALI with images that PictureMaker makes of the same
// samples.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <numeric>

#include "base/file.hpp"
#include "images/encode.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/dali/real_dali.hpp"
#include "trainer/data/dali/encoded_reader.hpp"
#include "trainer/data/picture_files.hpp"

using namespace dlscale;
using trainer::PictureRecipe;
namespace dali = trainer::dali;
namespace fs = std::filesystem;

namespace {

constexpr int kSide = 32;

void write(const fs::path& path, const std::vector<std::uint8_t>& bytes) {
  fs::create_directories(path.parent_path());
  base::write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Returns an image of the given size with waves and gradients.
images::Picture picture(images::Size size, int number) {
  images::Picture picture;
  picture.reshape(size);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      std::uint8_t* pixel = picture.row(y) + images::kColours * x;
      pixel[0] = static_cast<std::uint8_t>(128 + 100 * std::sin(0.1 * (x + y + number)));
      pixel[1] = static_cast<std::uint8_t>(255 * x / size.width);
      pixel[2] = static_cast<std::uint8_t>(255 * y / size.height);
    }
  }
  return picture;
}

/// Writes six JPEG files of one class and returns them.
trainer::PictureFiles six_jpegs(const fs::path& root) {
  for (int i = 0; i < 6; ++i) {
    write(root / "a" / (std::to_string(i) + ".jpg"),
          images::encode_jpeg(picture({90 + 20 * i, 120 - 11 * i}, i).view()));
  }
  return {root, {"a"}, images::class_files(root, {"a"})};
}

struct Difference {
  double mean = 0;
  int largest = 0;
};

/// Returns the difference in bytes between DALI's and PictureMaker's images over all samples.
Difference difference(const dali::Library& library, const trainer::PictureSource& source,
                      std::size_t samples, const PictureRecipe& recipe) {
  dali::PipelineSettings settings{
      .kind = {.normalised = false, .layout = recipe.layout, .resample = recipe.resample}};
  settings.batch_size = static_cast<int>(samples);
  settings.side = recipe.side;
  const auto pipeline = dali::Pipeline::make(library, settings);
  std::vector<std::int64_t> all(samples);
  std::iota(all.begin(), all.end(), 0);
  const auto batch = std::make_shared<dali::ReadBatch>(
      dali::EncodedReader({source, recipe}).read(all, /*epoch=*/2));
  pipeline->feed({batch, &batch->encoded});
  const auto output = pipeline->next_output();
  CHECK(output->samples() == settings.batch_size);
  const auto* theirs = static_cast<const std::uint8_t*>(output->data());
  trainer::PictureMaker maker(source, recipe);
  std::vector<std::uint8_t> ours(static_cast<std::size_t>(recipe.bytes()));
  Difference found;
  for (const std::int64_t sample : all) {
    maker.make(sample, /*epoch=*/2, ours.data());
    for (const std::uint8_t value : ours) {
      const int off = std::abs(value - *theirs++);
      found.largest = std::max(found.largest, off);
      found.mean += off;
    }
  }
  found.mean /= static_cast<double>(samples * ours.size());
  return found;
}

}  // namespace

TEST_CASE("DALI decodes, crops, scales and mirrors images like native") {
  const auto library = test::real_dali();
  if (!library) return;
  const test::TempDir dir;
  const auto files = six_jpegs(dir.path());
  const bool is_random = GENERATE(false, true);
  const auto resample = GENERATE(images::Resample::antialiased, images::Resample::bilinear);
  const auto layout = GENERATE(images::Layout::planes, images::Layout::channels_last);
  const auto found = difference(*library, files, 6,
                                {.side = kSide,
                                 .is_random = is_random,
                                 .random_flip = is_random,
                                 .shorter_side = 37,
                                 .resample = resample,
                                 .seed = 3,
                                 .layout = layout});
  // At the edge of a random crop, DALI repeats the last pixel, but Pillow uses fewer pixels.
  CHECK(found.largest <= (is_random && resample == images::Resample::antialiased ? 12 : 2));
  CHECK(found.mean < 0.5);
}

TEST_CASE("DALI and native make the same images from photographs, except for rounding") {
  const auto library = test::real_dali();
  const char* const data = std::getenv("DLSCALE_TEST_DATA");
  if (!library) return;
  if (data == nullptr) {
    test::skip("DLSCALE_TEST_DATA is not set");
    return;
  }
  const test::TempDir dir;
  const std::string unpack = "tar -xf '" + std::string(data) +
                             "/clothing10/clothing10-validation.tar' -C '" + dir.path().string() +
                             "'";
  REQUIRE(std::system(unpack.c_str()) == 0);
  const fs::path root = dir.path() / "validation";
  const auto classes = images::class_names(root);
  const auto files = images::class_files(root, classes);
  const trainer::PictureFiles source(root, classes, files);
  const auto middle = difference(*library, source, files.size(), {});
  CHECK(middle.largest <= 2);
  CHECK(middle.mean < 0.2);
  const auto random =
      difference(*library, source, files.size(), {.is_random = true, .random_flip = true});
  CHECK(random.largest <= 12);
  CHECK(random.mean < 0.2);
}

TEST_CASE("DALI rejects a broken file, and a new pipeline works again") {
  const auto library = test::real_dali();
  if (!library) return;
  const test::TempDir dir;
  const auto files = six_jpegs(dir.path());
  dali::PipelineSettings settings;
  settings.side = kSide;
  settings.deviation = {1, 1, 1};
  const PictureRecipe recipe{.side = kSide, .shorter_side = kSide};
  const auto good =
      std::make_shared<dali::ReadBatch>(dali::EncodedReader({files, recipe}).read({0}, 0));
  auto bad = std::make_shared<dali::Encoded>(good->encoded);
  std::fill(bad->files[0].begin() + 20, bad->files[0].end(), std::uint8_t{0});
  {
    const auto pipeline = dali::Pipeline::make(*library, settings);
    pipeline->feed(bad);
    CHECK_THROWS_WITH(pipeline->next_output(), !Catch::Contains("\n"));
  }
  const auto pipeline = dali::Pipeline::make(*library, settings);
  pipeline->feed({good, &good->encoded});
  CHECK(pipeline->next_output()->samples() == 1);
}

TEST_CASE("a GPU pipeline on a machine without a GPU fails with a reason in one line") {
  const auto library = test::real_dali();
  if (!library) return;
  if (fs::exists("/dev/nvidiactl")) {
    test::skip("this machine has a GPU");
    return;
  }
  try {
    dali::Pipeline::make(*library, {.kind = {.on_gpu = true}, .side = kSide});
    FAIL("nothing was thrown");
  } catch (const dali::Refused& refused) {
    const std::string said = refused.what();
    CHECK_THAT(said, Catch::Contains("CUDA") || Catch::Contains("GPU"));
    CHECK(said.find('\n') == said.npos);
  }
}

TEST_CASE("an output outlives its pipeline") {
  const auto library = test::real_dali();
  if (!library) return;
  const test::TempDir dir;
  const auto files = six_jpegs(dir.path());
  const PictureRecipe recipe{.side = kSide, .shorter_side = kSide};
  dali::PipelineSettings settings;
  settings.kind.normalised = false;
  settings.side = kSide;
  auto pipeline = dali::Pipeline::make(*library, settings);
  const auto batch =
      std::make_shared<dali::ReadBatch>(dali::EncodedReader({files, recipe}).read({0}, 0));
  pipeline->feed({batch, &batch->encoded});
  const auto output = pipeline->next_output();
  pipeline.reset();
  const auto* first = static_cast<const std::uint8_t*>(output->data());
  CHECK(std::accumulate(first, first + recipe.values(), 0L) > 0);
}

TEST_CASE("a pipeline exists for every configuration, and GPU pipelines decode on the GPU") {
  CHECK(dali::shipped_pipelines().size() == 16);
  for (const bool on_gpu : {false, true}) {
    for (const bool normalised : {false, true}) {
      for (const auto layout : {images::Layout::planes, images::Layout::channels_last}) {
        for (const auto resample : {images::Resample::antialiased, images::Resample::bilinear}) {
          const auto bytes = dali::shipped_pipeline({on_gpu, normalised, layout, resample});
          CHECK((bytes.find("mixed") != bytes.npos) == on_gpu);
          CHECK((bytes.find("mean") != bytes.npos) == normalised);
        }
      }
    }
  }
}
