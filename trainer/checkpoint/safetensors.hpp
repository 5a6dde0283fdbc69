// SPDX-License-Identifier: Apache-2.0
// Named tensors as a safetensors file: eight bytes of length, a JSON header, raw numbers.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "contract/records/safetensors_header.hpp"
#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

/// Writes the file with its old or its new content, never a part of it. Tensors are float64, 32,
/// 16, bfloat16 or int64, on any device. Throws base::RunError, for a full disk too.
void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors);

/// A file of which one tensor after the other is read. Whatever is wrong with it is a base::Error
/// (contract::kExitBadRunDescription) that names the file and the tensor.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::filesystem::path& path);
  const std::vector<contract::SafetensorsEntry>& entries() const { return entries_; }
  /// In its own type and shape, in the host's memory.
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
