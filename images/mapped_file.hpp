// SPDX-License-Identifier: Apache-2.0
// A file that is open for reading as long as it is needed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

namespace dlscale::images {

/// Where it cannot be opened is_open() is false and errno says why. Pipes in the way block nobody.
class OpenFile {
 public:
  explicit OpenFile(const char* path) : number_(::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (is_open()) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  /// The descriptor.
  int number() const { return number_; }
  /// The descriptor, which is then the caller's to close.
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

// A file mapped into memory to be read, which others may damage meanwhile without killing us.

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
