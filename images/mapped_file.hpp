// SPDX-License-Identifier: Apache-2.0
// A file mapped into memory to be read, which others may damage meanwhile without killing us.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace dlscale::images {

/// Reading from a map has no return value: where the file has been cut, or the disk gives nothing,
/// the system sends SIGBUS. While files are mapped a handler of that signal puts zeros where ours
/// cannot be read, and whoever reads asks is_damaged() afterwards. Signals that have to do with
/// other memory go to the handler that was there before.
class MappedFile {
 public:
  /// Throws base::RunError (contract::kExitData) naming the file when it is missing, no regular
  /// file, or cannot be mapped.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::uint8_t> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  /// Whether anything that was read since it was mapped could not be, and was zeros instead.
  bool is_damaged() const;
  /// Lets the system fetch this part now, in one piece, unless its beginning is in memory; returns
  /// at once.
  void will_read(std::size_t offset, std::size_t size) const;

 private:
  bool is_in_memory(std::size_t offset) const;

  std::filesystem::path path_;
  const std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  int place_ = -1;  ///< among those that the handler knows
};

}  // namespace dlscale::images
