// SPDX-License-Identifier: Apache-2.0
// Data set CIFAR-10 (Krizhevsky, 2009). The files are either the official binary batches or a tree
// of image files with one folder per class.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "trainer/data/data_file.hpp"
#include "trainer/data/image_tree.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

constexpr int kClasses = 10;
constexpr ImageShape kShape{3, 32, 32};
/// Bytes of a record: the label and the planes of red, green and blue.
constexpr std::int64_t kRecordBytes = 1 + 3 * 32 * 32;
constexpr const char* kBinaryFolder = "cifar-10-batches-bin";  ///< folder in the official archive

/// Returns the files "<prefix>….bin" in `folder`, sorted.
std::vector<fs::path> batches_in(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.ends_with(".bin")) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void read_batch(const fs::path& path, Split& split) {
  DataFile file(path);
  std::int64_t records = 0;
  for (;; ++records) {
    const auto record = file.read(kRecordBytes);
    if (record.empty()) break;
    if (static_cast<std::int64_t>(record.size()) < kRecordBytes) {
      file.fail(
          fmt::format("it is cut short: {} bytes are left for record {}, which needs {} bytes",
                      record.size(), records + 1, kRecordBytes));
    }
    if (record[0] >= kClasses) {
      file.fail(fmt::format("record {} has the label {}; the largest valid label is {}",
                            records + 1, record[0], kClasses - 1));
    }
    split.labels.push_back(record[0]);
    split.pixels.insert(split.pixels.end(), record.begin() + 1, record.end());
  }
  if (records == 0) file.fail("it is empty");
}

/// Throws if a batch file is missing. Without this check, a missing file would silently make the
/// data set smaller. The files are numbered from 1, so a number greater than the number of files
/// shows that a file is missing.
void check_numbers(const std::vector<fs::path>& batches, const std::string& prefix) {
  for (const fs::path& batch : batches) {
    const std::string number = batch.stem().string().substr(prefix.size());
    if (!number.starts_with('_') || std::atoi(number.c_str() + 1) <= std::ssize(batches)) continue;
    throw base::RunError(fmt::format("{}: earlier batches are missing; batches found: {}",
                                     batch.string(), batches.size()),
                         contract::kExitData);
  }
}

Split read_batches(const fs::path& folder, const std::string& prefix) {
  const auto files = batches_in(folder, prefix);
  check_numbers(files, prefix);
  if (files.empty()) {
    throw base::RunError(
        fmt::format("{} has no {}*.bin and no folder train; set dataset.path to the folder of "
                    "CIFAR-10's binary batches or images",
                    folder.string(), prefix),
        contract::kExitData);
  }
  Split split;
  for (const fs::path& file : files) read_batch(file, split);
  return split;
}

Dataset load(const contract::DatasetSpec& spec) {
  // Mean and standard deviation of the pixels of the training set.
  const ColourStatistics colours{.mean = {0.4914, 0.4822, 0.4465},
                                 .deviation = {0.2470, 0.2435, 0.2616}};
  if (spec.path.empty()) {
    throw base::RunError("dataset.path is empty; set it to the folder of CIFAR-10",
                         contract::kExitData);
  }
  fs::path folder = spec.path;
  if (fs::is_directory(folder / "train")) return load_image_tree(spec, colours);
  if (fs::is_directory(folder / kBinaryFolder)) folder /= kBinaryFolder;
  Dataset dataset;
  dataset.shape = kShape;
  dataset.classes = kClasses;
  dataset.mean = colours.mean;
  dataset.deviation = colours.deviation;
  dataset.train = read_batches(folder, "data_batch");
  dataset.test = read_batches(folder, "test_batch");
  keep_requested_samples(dataset, spec);
  return dataset;
}

}  // namespace

extern const DatasetEntry cifar10_entry;
const DatasetEntry cifar10_entry{
    .name = "cifar10",
    .summary = "small photographs, from binary batches or a folder of images",
    .load = load,
    .shape = "3x32x32"};

}  // namespace dlscale::trainer
