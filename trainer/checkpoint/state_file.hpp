// SPDX-License-Identifier: Apache-2.0
// Files that are on the disk when they are said to be, and that tell when they are damaged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "contract/records/checkpoint.hpp"

namespace dlscale::trainer {

/// A new file, written once, from its beginning to its end. Every member throws base::RunError for
/// what the system refuses, a full disk for example.
class StateFile {
 public:
  explicit StateFile(const std::filesystem::path& path);
  ~StateFile();
  StateFile(const StateFile&) = delete;
  StateFile& operator=(const StateFile&) = delete;

  void append(std::string_view bytes);
  /// Returns when the disk has all of it.
  contract::SavedFile close();

 private:
  std::filesystem::path path_;
  int descriptor_;
  std::int64_t bytes_ = 0;
  std::uint32_t crc32_ = 0;
};

/// Makes the names in a folder outlast a crash of the machine.
void sync_folder(const std::filesystem::path& folder);

/// The content of `file` in a folder. Throws base::RunError when it is not what was saved.
std::string read_saved(const std::filesystem::path& folder, const contract::SavedFile& file);

}  // namespace dlscale::trainer
