// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/idx_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "trainer/data/bad_data.hpp"
#include "trainer/data/idx_file.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kClasses = 10;

Split read_split(const std::filesystem::path& folder, const std::string& prefix,
                 ImageShape& shape) {
  const auto images_path = folder / (prefix + "-images-idx3-ubyte");
  const auto labels_path = folder / (prefix + "-labels-idx1-ubyte");
  IdxArray images = read_idx(images_path, 3);
  IdxArray labels = read_idx(labels_path, 1);
  if (images.values.empty()) {
    refuse_data(fmt::format("{} holds no pixels: {} images of {}x{}; fetch it again",
                            images_path.string(), images.sizes[0], images.sizes[1],
                            images.sizes[2]));
  }
  if (images.sizes[0] != labels.sizes[0]) {
    refuse_data(fmt::format("{} holds {} images but {} holds {} labels; fetch both again",
                            images_path.string(), images.sizes[0], labels_path.string(),
                            labels.sizes[0]));
  }
  if (std::ranges::any_of(labels.values, [](int label) { return label >= kClasses; })) {
    refuse_data(fmt::format("{} holds a label above {}; fetch it again", labels_path.string(),
                            kClasses - 1));
  }
  shape = {1, static_cast<int>(images.sizes[1]), static_cast<int>(images.sizes[2])};
  return {.pixels = std::move(images.values),
          .labels = {labels.values.begin(), labels.values.end()}};
}

}  // namespace

Dataset load_idx_images(const contract::DatasetSpec& spec, const PixelStatistics& pixels) {
  if (spec.path.empty()) {
    refuse_data(
        fmt::format("dataset.path is empty; name the folder of the four files of {}", spec.kind));
  }
  Dataset dataset;
  dataset.classes = kClasses;
  dataset.mean = {pixels.mean};
  dataset.deviation = {pixels.deviation};
  ImageShape test_shape;
  dataset.train = read_split(spec.path, "train", dataset.shape);
  dataset.test = read_split(spec.path, "t10k", test_shape);
  if (test_shape != dataset.shape) {
    refuse_data(fmt::format("{}: training and test images differ in size; fetch the files again",
                            spec.path));
  }
  take_what_is_asked(dataset, spec);
  return dataset;
}

}  // namespace dlscale::trainer
