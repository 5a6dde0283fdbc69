// SPDX-License-Identifier: Apache-2.0
// The IDX format of MNIST and its kin: big-endian header, then bytes; plain or gzip-compressed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace dlscale::trainer {

struct IdxArray {
  std::vector<std::int64_t> sizes;  ///< one per dimension, slowest first
  std::vector<std::uint8_t> values;
};

/// Reads `path`, or `path`.gz when there is no `path`. Throws base::RunError (contract::kExitData)
/// naming the file when it is missing, damaged, cut short, longer than its header says, or not an
/// array of bytes with `dimensions` dimensions.
IdxArray read_idx(const std::filesystem::path& path, int dimensions);

}  // namespace dlscale::trainer
