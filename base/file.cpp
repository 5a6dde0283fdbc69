// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"

namespace dlscale::base {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(std::string_view action, const fs::path& path, int error) {
  throw RunError(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(error)));
}

/// Closes its descriptor when it goes out of scope, whatever happened.
struct Descriptor {
  int value;
  ~Descriptor() {
    if (value >= 0) ::close(value);
  }
};

void write_all(int descriptor, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t n = ::write(descriptor, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path, errno);
    content.remove_prefix(static_cast<std::size_t>(n));
  }
}

bool ends_in_part_of_a_line(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
    return false;
  }
  char last = '\n';
  return ::pread(descriptor, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) fail("read", path, errno);
  struct stat status {};
  if (::fstat(file.value, &status) != 0) fail("read", path, errno);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR);
  std::string content;
  content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.value, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
  }
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  const fs::path part = path.string() + fmt::format(".part{}", ::getpid());
  try {
    const Descriptor file{::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
    if (file.value < 0) fail("write", path, errno);
    write_all(file.value, content, path);
    if (::rename(part.c_str(), path.c_str()) != 0) fail("write", path, errno);
  } catch (...) {
    ::unlink(part.c_str());
    throw;
  }
}

bool write_file_if_changed(const fs::path& path, std::string_view content) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && read_file(path) == content) return false;
  write_file_atomically(path, content);
  return true;
}

void make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    throw RunError(fmt::format("cannot make folder {}: {}", path.string(), error.message()));
}

LineAppender::LineAppender(const fs::path& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("write", path, errno);
  if (ends_in_part_of_a_line(descriptor_)) write_all(descriptor_, "\n", path_);
}

LineAppender::~LineAppender() {
  ::close(descriptor_);
}

void LineAppender::append(std::string_view line) {
  std::string whole(line);
  whole += '\n';
  write_all(descriptor_, whole, path_);
}

}  // namespace dlscale::base
