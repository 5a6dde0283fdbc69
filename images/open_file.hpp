// SPDX-License-Identifier: Apache-2.0
// A file that is open for reading as long as it is needed.
#pragma once

#include <fcntl.h>
#include <unistd.h>

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

}  // namespace dlscale::images
