// SPDX-License-Identifier: Apache-2.0
// Keeps a file open for reading.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dlscale::images {

/// File that is open for reading until it is destroyed. If the file cannot be opened, is_open() is
/// false and errno contains the reason. Opening a named pipe does not block.
class OpenFile {
 public:
  explicit OpenFile(const char* path) : number_(::open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~OpenFile() {
    if (is_open()) ::close(number_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool is_open() const { return number_ >= 0; }
  /// Returns the file descriptor.
  int number() const { return number_; }

  /// Fills `bytes` with the bytes of the file from `offset` on. Returns false if the file ends
  /// before `bytes` is full, or if the file cannot be read. Several threads may read at the same
  /// time.
  bool read_at(std::uint64_t offset, std::span<std::uint8_t> bytes) const {
    while (!bytes.empty()) {
      const ssize_t got = ::pread(number_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      offset += static_cast<std::uint64_t>(got);
      bytes = bytes.subspan(static_cast<std::size_t>(got));
    }
    return true;
  }

 private:
  int number_;
};

}  // namespace dlscale::images
