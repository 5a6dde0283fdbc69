// SPDX-License-Identifier: Apache-2.0
// Data set of labelled images in NumPy files, as numpy.save(FILE, array) writes them:
//   train_images.npy, test_images.npy   uint8, images x height x width, or images x channels x …
//   train_labels.npy, test_labels.npy   integers from 0 on, one for each image
// A data set is one function that reads all data into memory. Each rank calls the function, so the
// function must return the same data on each rank.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/dataset.hpp"

// A member of a family is defined in the namespace of the family.
namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMagicBytes = 10;  // "\x93NUMPY", the format's version, the header's length
constexpr std::int64_t kMostValues = std::int64_t{1} << 40;
constexpr int kMostChannels = 4;

struct Array {
  std::string type;  ///< type in NumPy's notation: "|u1" for bytes, "<i8" for int64
  std::vector<std::int64_t> sizes;
  std::vector<std::uint8_t> values;
};

/// Returns the part of `text` between `before` and `after`, or "" if `text` lacks `before`.
std::string between(const std::string& text, const std::string& before, const char* after) {
  const std::size_t at = text.find(before);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

/// Returns the numbers of a text such as "60000, 28, 28", or an empty list for any other text.
std::vector<std::int64_t> sizes_in(const std::string& text) {
  std::vector<std::int64_t> sizes;
  std::int64_t product = 1;
  for (const char *at = text.data(), *const end = at + text.size(); at != end;) {
    std::int64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 1 || size > kMostValues / product) return {};
    product *= size;
    sizes.push_back(size);
    at = std::find_if(next, end, [](char c) { return c != ',' && c != ' '; });
  }
  return sizes;
}

/// Throws base::RunError with the exit code for data. The message names the file and the remedy.
[[noreturn]] void refuse(const fs::path& path, const std::string& why) {
  throw base::RunError(fmt::format("cannot use {}: {}", path.string(), why), contract::kExitData);
}

/// Reads an array from FILE or FILE.gz. DataFile throws if it cannot open or read the file.
Array read_array(const fs::path& path) {
  DataFile file(path);
  const auto magic = file.read(kMagicBytes);
  if (!std::string(magic.begin(), magic.end()).starts_with("\x93NUMPY\1") ||
      magic.size() < kMagicBytes) {
    refuse(path, "it is not an array; write it with numpy.save(FILE, array)");
  }
  const auto bytes = file.read(magic[8] + 256 * magic[9]);
  const std::string header(bytes.begin(), bytes.end());
  Array array{between(header, "'descr': '", "'"), sizes_in(between(header, "'shape': (", ")")), {}};
  if (array.type.size() != 3 || array.type.find_last_of("1248") != 2 || array.sizes.empty() ||
      between(header, "'fortran_order': ", ",") != "False") {
    refuse(path, "it is empty, or no array of numbers; save numpy.ascontiguousarray(array)");
  }
  std::int64_t wanted = array.type[2] - '0';
  for (const std::int64_t size : array.sizes) wanted *= size;
  array.values = file.read(wanted);
  const auto found = static_cast<std::int64_t>(array.values.size());
  if (found < wanted) file.fail(fmt::format("it is cut short: {} of {} bytes", found, wanted));
  return array;
}

Array read_images(const fs::path& path) {
  Array images = read_array(path);
  if (images.type != "|u1") {
    refuse(path, "pixels have type " + images.type + "; save array.astype(numpy.uint8), 0 to 255");
  }
  if (images.sizes.size() == 3) images.sizes.insert(images.sizes.begin() + 1, 1);
  if (images.sizes.size() != 4 || images.sizes[1] > kMostChannels) {
    refuse(path, "it is not images x height x width or images x channels x height x width");
  }
  return images;
}

std::vector<std::uint16_t> read_labels(const fs::path& path, std::int64_t images) {
  const Array array = read_array(path);
  const bool has_sign = array.type[1] == 'i';
  if (array.type[0] == '>' || (array.type[1] != 'u' && !has_sign)) {
    refuse(path, "labels have type " + array.type + "; save array.astype(numpy.int64)");
  }
  if (array.sizes != std::vector{images}) {
    refuse(path, fmt::format("it is not a list of {} labels, as there are images", images));
  }
  std::vector<std::uint16_t> labels;
  const auto width = static_cast<std::size_t>(array.type[2] - '0');
  const std::uint64_t end = 1u << std::min<std::size_t>(16, 8 * width - has_sign);
  for (std::size_t at = 0; at < array.values.size(); at += width) {
    std::uint64_t label = 0;
    for (std::size_t i = width; i > 0; --i) label = label << 8 | array.values[at + i - 1];
    if (label >= end) refuse(path, "labels are classes from 0 to 65535; one is none");
    labels.push_back(static_cast<std::uint16_t>(label));
  }
  return labels;
}

Split read_split(const fs::path& folder, const std::string& name, ImageShape& shape) {
  Array images = read_images(folder / (name + "_images.npy"));
  const auto side = [&](std::size_t i) { return static_cast<int>(images.sizes[i]); };
  shape = {side(1), side(2), side(3)};
  return {.pixels = std::move(images.values),
          .labels = read_labels(folder / (name + "_labels.npy"), images.sizes[0])};
}

/// Computes the mean and the standard deviation of pixel / 255 for each channel of the training
/// images. The input of a model is (pixel / 255 - mean) / deviation. If mean and deviation of a
/// data set are known, this function can set the known values instead.
void measure_colours(Dataset& dataset) {
  const auto channels = static_cast<std::size_t>(dataset.shape.channels);
  const auto& all = dataset.train.pixels;
  const std::size_t area = static_cast<std::size_t>(dataset.shape.values()) / channels;
  std::vector<std::uint64_t> sums(channels), squares(channels);
  for (std::size_t plane = 0; plane * area < all.size(); ++plane) {
    for (std::size_t i = plane * area; i < (plane + 1) * area; ++i) {
      const std::uint64_t pixel = all[i];
      sums[plane % channels] += pixel;
      squares[plane % channels] += pixel * pixel;
    }
  }
  const auto pixels = static_cast<double>(all.size() / channels);
  for (std::size_t c = 0; c < channels; ++c) {
    const double mean = static_cast<double>(sums[c]) / pixels;
    const double variance = static_cast<double>(squares[c]) / pixels - mean * mean;
    dataset.mean.push_back(mean / 255);
    dataset.deviation.push_back(variance > 0 ? std::sqrt(variance) / 255 : 1);
  }
}

/// Loads the data set that the study describes in `spec`. The variables in `spec.path` are already
/// replaced by their values on this machine.
Dataset load(const contract::DatasetSpec& spec) {
  if (spec.path.empty()) {
    throw base::RunError("dataset.path is empty; name the folder of train_images.npy",
                         contract::kExitData);
  }
  Dataset dataset;
  ImageShape test_shape;
  dataset.train = read_split(spec.path, "train", dataset.shape);
  dataset.test = read_split(spec.path, "test", test_shape);
  if (test_shape != dataset.shape) {
    refuse(spec.path, "training and test images differ in size or channels");
  }
  dataset.classes = 1 + std::max(*std::ranges::max_element(dataset.train.labels),
                                 *std::ranges::max_element(dataset.test.labels));
  measure_colours(dataset);
  // Applies the settings that a study can have for any image data set: a checksum, fewer samples or
  // fewer classes.
  keep_requested_samples(dataset, spec);
  return dataset;
}

}  // namespace

// Row in the table of data sets. The name of the row must be <name of the file>_entry. The first
// value of the row is the name of the data set in a study.
extern const DatasetEntry numpy_images_entry;
const DatasetEntry numpy_images_entry{"numpy_images", "images in files of numpy.save", load};

}  // namespace dlscale::trainer
