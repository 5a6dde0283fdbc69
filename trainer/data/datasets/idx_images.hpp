// SPDX-License-Identifier: Apache-2.0
// Data sets of ten classes in the four IDX files of MNIST: MNIST itself and Fashion-MNIST.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "trainer/data/dataset.hpp"

namespace dlscale::trainer {

// The IDX format of MNIST and its kin: big-endian header, then bytes; plain or gzip-compressed.
struct IdxArray {
  std::vector<std::int64_t> sizes;  ///< one per dimension, slowest first
  std::vector<std::uint8_t> values;
};

/// Reads `path`, or `path`.gz when there is no `path`. Throws base::RunError (contract::kExitData)
/// naming the file when it is missing, damaged, cut short, longer than its header says, or not an
/// array of bytes with `dimensions` dimensions.
IdxArray read_idx(const std::filesystem::path& path, int dimensions);

// Data sets of ten classes in the four IDX files of MNIST.

/// Of the training pixels, between 0 and 1.
struct PixelStatistics {
  double mean, deviation;
};

/// As DatasetEntry::load.
Dataset load_idx_images(const contract::DatasetSpec& spec, const PixelStatistics& pixels);

}  // namespace dlscale::trainer
