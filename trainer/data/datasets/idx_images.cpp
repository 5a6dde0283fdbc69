// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/datasets/idx_images.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "trainer/data/data_file.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr std::uint8_t kUnsignedByte = 0x08;

std::int64_t big_endian(const std::uint8_t* bytes) {
  return std::int64_t{bytes[0]} << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

}  // namespace

IdxArray read_idx(const fs::path& path, int dimensions) {
  DataFile stream(path);
  const std::int64_t header_bytes = 4 + 4 * dimensions;
  const auto header = stream.read(header_bytes);
  if (header.size() < 4 || header[0] != 0 || header[1] != 0) stream.fail("it is not an IDX file");
  if (header[2] != kUnsignedByte) stream.fail("its elements are not unsigned bytes");
  if (header[3] != dimensions) {
    stream.fail(fmt::format("it has {} dimensions instead of {}", header[3], dimensions));
  }
  if (static_cast<std::int64_t>(header.size()) < header_bytes)
    stream.fail("it is cut short in its header");
  IdxArray array;
  std::int64_t count = 1;
  for (int i = 0; i < dimensions; ++i) {
    array.sizes.push_back(big_endian(header.data() + 4 + 4 * i));
    if (__builtin_mul_overflow(count, array.sizes.back(), &count))
      stream.fail("its sizes overflow");
  }
  array.values = stream.read(count);
  if (static_cast<std::int64_t>(array.values.size()) < count) {
    stream.fail(fmt::format("it is cut short: {} of {} bytes", array.values.size(), count));
  }
  if (!stream.read(1).empty()) stream.fail("it is longer than its header declares");
  return array;
}

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
    refuse_data(fmt::format("dataset.path is empty; set it to the folder of the four files of {}",
                            spec.kind));
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
  keep_requested_samples(dataset, spec);
  return dataset;
}

// Data set MNIST (LeCun, Cortes, Burges) with 60,000 training and 10,000 test images of digits,
// 28x28.

namespace {

Dataset load_mnist(const contract::DatasetSpec& spec) {
  return load_idx_images(
      spec, {.mean = 0.1307, .deviation = 0.3081});  // values of PyTorch's MNIST example
}

}  // namespace

extern const DatasetEntry mnist_entry;
const DatasetEntry mnist_entry{.name = "mnist",
                               .summary = "handwritten digits, from IDX files (plain or .gz)",
                               .load = load_mnist,
                               .shape = "1x28x28"};

// Data set Fashion-MNIST (Xiao, Rasul, Vollgraf, 2017) with 60,000 training and 10,000 test images
// of clothing, 28x28.

namespace {

Dataset load_fashion_mnist(const contract::DatasetSpec& spec) {
  // Statistics of the training pixels.
  return load_idx_images(spec, {.mean = 0.2860, .deviation = 0.3530});
}

}  // namespace

extern const DatasetEntry fashion_mnist_entry;
const DatasetEntry fashion_mnist_entry{
    .name = "fashion_mnist",
    .summary = "articles of clothing, from IDX files (plain or .gz)",
    .load = load_fashion_mnist,
    .shape = "1x28x28"};

}  // namespace dlscale::trainer
