// SPDX-License-Identifier: Apache-2.0
// Reader and writer for safetensors files, which hold 8 bytes with the header length, a JSON header
// and raw numbers.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "contract/records/safetensors_header.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

/// Writes `tensors` to a safetensors file. The file has either its old content or the complete new
/// content at any time. Tensors may have type float64, float32, float16, bfloat16 or int64 and lie
/// on any device. Throws base::RunError, also when the disk is full.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

/// A safetensors file whose tensors are read one at a time. Every member throws base::Error
/// (contract::kExitBadRunDescription) with the file and the tensor when the file is invalid.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  const std::vector<contract::SafetensorsEntry>& entries() const { return entries_; }
  /// Returns the tensor in the type and shape that the file states, in host memory.
  at::Tensor read(const contract::SafetensorsEntry& entry);

 private:
  [[noreturn]] void fail(const std::string& problem) const;
  void read_header();
  void require_whole(const contract::SafetensorsEntry& entry) const;

  std::filesystem::path path_;
  std::ifstream bytes_;
  std::int64_t data_begin_ = 0;
  std::vector<contract::SafetensorsEntry> entries_;
};

}  // namespace dlscale::trainer
