// SPDX-License-Identifier: Apache-2.0
// Reader and writer for safetensors files. Such a file consists of the length of the header (8
// bytes), a JSON header and the raw values of the tensors.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "contract/records/safetensors_header.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

/// Writes `tensors` to a safetensors file. The file is replaced atomically: at any time, it has
/// either its old content or the complete new content. Tensors may have the type float64, float32,
/// float16, bfloat16 or int64 and may lie on any device. Throws base::RunError if the file cannot
/// be written, for example because the disk is full.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

/// A safetensors file whose tensors are read one at a time. If the file is invalid, every member
/// function throws base::Error (contract::kExitBadRunDescription) with the names of the file and of
/// the tensor.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  const std::vector<contract::SafetensorsEntry>& entries() const { return entries_; }
  /// Reads the tensor that `entry` describes and returns it in host memory. The tensor has the type
  /// and shape that the file states.
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
