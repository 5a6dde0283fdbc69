// SPDX-License-Identifier: Apache-2.0
// Tests of the real DALI on the file types in tests/data/images, which the native loader reads like
// torchvision.
#include <torch/types.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "tests/trainer/data/dali/real_dali.hpp"
#include "trainer/data/dali/dali_loader.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/data/picture_files.hpp"
#include "trainer/data/picture_loader.hpp"

using namespace dlscale;

namespace {

/// Returns a training set of all files in tests/data/images.
trainer::Dataset kinds_of_files() {
  const std::filesystem::path data = DLSCALE_SOURCE_DIR "/tests/data";
  const auto files = images::class_files(data, {"images"});
  trainer::Dataset set;
  set.mean = {0, 0, 0};
  set.deviation = {1, 1, 1};
  set.train.labels.assign(files.size(), 0);
  set.train.pictures =
      std::make_shared<trainer::PictureFiles>(data, images::ClassNames{"images"}, files);
  return set;
}

at::Tensor image_of(trainer::Loader& loader, std::int64_t sample) {
  loader.start({.samples = {sample}, .epoch = 1});
  return loader.next().input.to(at::kInt);
}

}  // namespace

TEST_CASE("dali_cpu and native make the same image from every file type that native reads") {
  if (!test::real_dali()) return;
  const trainer::Dataset set = kinds_of_files();
  REQUIRE(set.train.size() == 16);
  const bool is_random = GENERATE(false, true);
  const auto resample = GENERATE(images::Resample::antialiased, images::Resample::bilinear);
  trainer::LoaderContext context{.dataset = set, .split = set.train};
  context.options.hand_over = "uint8";
  context.pictures = {.side = 24,
                      .is_random = is_random,
                      .random_flip = is_random,
                      .shorter_side = 28,
                      .resample = resample,
                      .seed = 6};
  const auto dali = trainer::dali::make_dali_loader(context, /*on_gpu=*/false);
  const auto native = trainer::make_picture_loader(context);
  for (std::int64_t sample = 0; sample < set.train.size(); ++sample) {
    INFO(set.train.pictures->name(sample));
    const auto off = (image_of(*dali, sample) - image_of(*native, sample)).abs();
    // At the edge of a random crop, DALI repeats the last pixel, but Pillow uses fewer pixels.
    const bool has_edges = is_random && resample == images::Resample::antialiased;
    CHECK(off.max().item<int>() <= (has_edges ? 12 : 2));
    CHECK(off.to(at::kDouble).mean().item<double>() < 1);
  }
}
