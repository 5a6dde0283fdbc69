// SPDX-License-Identifier: Apache-2.0
// Reader for state dictionaries in files of torch.save(), such as the weights that torchvision
// publishes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::trainer {

/// Tensor in a file of torch.save(). Several tensors may use parts of one storage.
struct TorchEntry {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  ///< distance to the next element in each dimension, in values
  std::string storage;                ///< key of the storage in the file
  std::int64_t begin = 0;             ///< index of the tensor's first value in the storage
};

/// Storages of a file: one-dimensional arrays that are read when they are needed.
class TorchStorages;

/// A file that torch.save() wrote from a state dictionary, in the zip format (since PyTorch 1.6) or
/// in the older format of consecutive pickles. The reader runs no code of the file (pickle.hpp). If
/// the file is invalid, every member function throws base::RunError
/// (contract::kExitBadRunDescription) with the name of the file.
class TorchFile {
 public:
  /// Reads the names, types and shapes of all tensors, and checks that their values lie within the
  /// file.
  explicit TorchFile(const std::filesystem::path& path);
  ~TorchFile();
  TorchFile(const TorchFile&) = delete;
  TorchFile& operator=(const TorchFile&) = delete;

  /// Returns true if the first bytes of the file are those of one of the two formats.
  static bool has_format(const std::filesystem::path& path);

  const std::vector<TorchEntry>& entries() const { return entries_; }
  /// Returns a contiguous copy of a tensor in host memory, with the type and shape in `entry`. In
  /// the zip format, compares the checksum of the tensor's storage.
  at::Tensor read(const TorchEntry& entry);

 private:
  std::filesystem::path path_;
  std::unique_ptr<TorchStorages> storages_;
  std::vector<TorchEntry> entries_;
  std::string last_key_;  ///< key of the storage that was read last
  at::Tensor last_;       ///< values of the storage that was read last
};

}  // namespace dlscale::trainer
