// SPDX-License-Identifier: Apache-2.0
// Data sets MNIST and Fashion-MNIST. Both have ten classes and consist of four files in the IDX
// format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

// An array in the IDX format of MNIST, which has a big-endian header followed by bytes. The file
// may be plain or gzip-compressed.
struct IdxArray {
  std::vector<std::int64_t> sizes;  ///< size of each dimension, the slowest-varying first
  std::vector<std::uint8_t> values;
};

/// Reads `path`, or `path`.gz when `path` does not exist. Throws base::RunError
/// (contract::kExitData) with the file name when the file is missing, damaged, cut short, longer
/// than its header states, or not an array of bytes with `dimensions` dimensions.
IdxArray read_idx(const std::filesystem::path& path, int dimensions);

/// Mean and standard deviation of the training pixels, between 0 and 1.
struct PixelStatistics {
  double mean, deviation;
};

/// Loads a data set from four IDX files, like DatasetEntry::load.
Dataset load_idx_images(const contract::DatasetSpec& spec, const PixelStatistics& pixels);

}  // namespace dlscale::trainer
