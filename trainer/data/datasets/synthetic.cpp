// SPDX-License-Identifier: Apache-2.0
// Data set of random images in any shape, for speed measurements without data files.
#include <algorithm>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/random_stream.hpp"
#include "validation/compatibility.hpp"

namespace dlscale::trainer {
namespace {

constexpr const char* kShape = "3x224x224";
constexpr int kClasses = 1000;
constexpr std::int64_t kTrainSamples = 1024;
constexpr std::int64_t kTestSamples = 256;
/// Limits of the number of different images in a split. A split has as many different images as the
/// two limits allow, but at least one. Samples beyond this number repeat the images.
constexpr std::int64_t kMostImages = 64;
constexpr std::int64_t kMostBytes = 64 << 20;
/// Keys of the random streams. The keys are fixed, so the data set is the same in every run,
/// independent of the seed of the run.
constexpr std::uint64_t kTrainKey = 3;
constexpr std::uint64_t kTestKey = 4;

ImageShape shape_of(const contract::DatasetSpec& spec) {
  const auto extents = validation::image_extents(spec.shape.empty() ? kShape : spec.shape);
  const auto [channels, height, width] = extents.value();
  return {channels, height, width};
}

/// Draws the images of a split. An image depends only on the key of the split and the number of the
/// image.
Split draw(std::uint64_t key, std::int64_t samples, const ImageShape& shape, int classes) {
  const std::int64_t images =
      std::clamp<std::int64_t>(kMostBytes / shape.values(), 1, std::min(kMostImages, samples));
  Split split;
  split.pixels.reserve(static_cast<std::size_t>(images * shape.values()));
  std::vector<std::uint16_t> label_of_image;
  for (std::int64_t i = 0; i < images; ++i) {
    RandomStream random(key, static_cast<std::uint64_t>(i));
    label_of_image.push_back(
        static_cast<std::uint16_t>(random.below(static_cast<std::uint64_t>(classes))));
    std::uint64_t bits = 0;
    for (std::int64_t k = 0; k < shape.values(); ++k) {
      bits = k % 8 == 0 ? random.next() : bits >> 8;
      split.pixels.push_back(static_cast<std::uint8_t>(bits));
    }
  }
  for (std::int64_t i = 0; i < samples; ++i) {
    split.labels.push_back(label_of_image[static_cast<std::size_t>(i % images)]);
  }
  return split;
}

Dataset load(const contract::DatasetSpec& spec) {
  Dataset dataset;
  if (const auto conflict = validation::find_synthetic_conflict(spec)) {
    throw base::RunError(conflict->key + ": " + conflict->reason, contract::kExitBadRunDescription);
  }
  dataset.shape = shape_of(spec);
  dataset.classes = spec.classes == 0 ? kClasses : spec.classes;
  const auto channels = static_cast<std::size_t>(dataset.shape.channels);
  dataset.mean.assign(channels, 0.5);  // statistics of uniformly distributed pixels
  dataset.deviation.assign(channels, 0.289);
  const auto split = [&](std::uint64_t key, std::int64_t asked, std::int64_t otherwise) {
    return draw(key, asked == 0 ? otherwise : asked, dataset.shape, dataset.classes);
  };
  dataset.train = split(kTrainKey, spec.train_samples, kTrainSamples);
  dataset.test = split(kTestKey, spec.test_samples, kTestSamples);
  return dataset;
}

}  // namespace

extern const DatasetEntry synthetic_entry;
const DatasetEntry synthetic_entry{
    .name = "synthetic",
    .summary =
        "noise of any shape and number of classes; a small number of distinct images is repeated",
    .load = load,
    .is_generated = true,
    .shape = kShape,
    .train_samples = kTrainSamples};

}  // namespace dlscale::trainer
