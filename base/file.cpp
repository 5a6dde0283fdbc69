// SPDX-License-Identifier: Apache-2.0
#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::base {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(std::string_view action, const fs::path& path, int error) {
  throw RunError(fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(error)));
}

/// File descriptor that is closed at the end of the scope, also after an exception.
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

// With O_NONBLOCK, opening a pipe does not wait for a writer.
constexpr int kRead = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
constexpr std::size_t kBuffer = std::size_t{1} << 16;

/// Reads up to `size` bytes. Returns fewer bytes only at the end of the file or if the file cannot
/// be read.
std::size_t read_some(int descriptor, char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n = ::read(descriptor, to + got, size - got);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    got += static_cast<std::size_t>(n);
  }
  return got;
}

bool next_bytes_are(int descriptor, std::string_view content) {
  char buffer[kBuffer];
  while (!content.empty()) {
    const std::size_t size = std::min(content.size(), sizeof buffer);
    if (read_some(descriptor, buffer, size) != size) return false;
    if (content.compare(0, size, buffer, size) != 0) return false;
    content.remove_prefix(size);
  }
  return true;
}

/// Returns whether all users who may read the file can also execute it.
bool is_executable(const struct stat& status) {
  const mode_t readers = status.st_mode & 0444;
  return (status.st_mode & (readers >> 2)) == readers >> 2;
}

constexpr std::string_view kPart = ".part";

/// Returns whether `name` is the temporary file of a process of this machine that no longer exists.
bool is_left_part(const std::string& name) {
  // The search ends at the "@", because the host's name after it may contain ".part".
  const std::size_t ending = name.rfind(kPart, name.rfind('@'));
  if (ending == std::string::npos) return false;
  const auto process = leading_number<pid_t>(std::string_view(name).substr(ending + kPart.size()));
  if (process <= 0 || name.substr(ending) != part_ending(process)) return false;
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

bool ends_in_part_of_a_line(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) {
    return false;
  }
  char last = '\n';
  return ::pread(descriptor, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

std::string read_at_most(const fs::path& path, std::size_t most) {
  const auto refuse_more_than_most = [&](std::size_t size) {
    if (size <= most) return;
    throw RunError(
        fmt::format("cannot read {}: the file is larger than {} MiB", path.string(), most >> 20));
  };
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.value < 0) fail("read", path, errno);
  struct stat status {};
  if (::fstat(file.value, &status) != 0) fail("read", path, errno);
  if (S_ISDIR(status.st_mode)) fail("read", path, EISDIR);
  refuse_more_than_most(static_cast<std::size_t>(status.st_size));
  std::string content;
  content.reserve(static_cast<std::size_t>(status.st_size) + 1);
  char buffer[kBuffer];
  for (;;) {
    const ssize_t n = ::read(file.value, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("read", path, errno);
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
    refuse_more_than_most(content.size());
  }
}

}  // namespace

std::string read_end(const fs::path& path, std::size_t bytes) {
  const Descriptor file{::open(path.c_str(), kRead)};
  struct stat status {};
  if (file.value < 0 || ::fstat(file.value, &status) != 0) return {};
  const auto size = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
  if (size > bytes) ::lseek(file.value, static_cast<off_t>(size - bytes), SEEK_SET);
  std::string text(std::min(size, bytes), '\0');
  text.resize(read_some(file.value, text.data(), text.size()));
  return text;
}

std::string read_file(const fs::path& path) {
  return read_at_most(path, std::numeric_limits<std::size_t>::max());
}

std::string read_text_file(const fs::path& path) {
  return read_at_most(path, kMostTextBytes);
}

void write_file_atomically(const fs::path& path, std::string_view content) {
  write_pieces_atomically(path, [&](const auto& write) { write(content); });
}

bool write_file_if_changed(const fs::path& path, std::string_view content) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored) && read_file(path) == content) return false;
  write_file_atomically(path, content);
  return true;
}

Folder::Folder(fs::path path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0 && errno != ENOENT && errno != ENOTDIR) fail("open", path_, errno);
}

Folder::~Folder() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool Folder::holds(const std::string& name, std::string_view content, Mode mode) const {
  if (descriptor_ < 0) return false;
  const Descriptor file{::openat(descriptor_, name.c_str(), kRead)};
  struct stat status {};
  if (file.value < 0 || ::fstat(file.value, &status) != 0) return false;
  return S_ISREG(status.st_mode) && static_cast<std::size_t>(status.st_size) == content.size() &&
         (mode == Mode::plain || is_executable(status)) && next_bytes_are(file.value, content);
}

std::string Folder::stamp(const std::string& name) const {
  struct stat status {};
  if (descriptor_ < 0 || ::fstatat(descriptor_, name.c_str(), &status, 0) != 0) return "";
  const std::int64_t parts[] = {status.st_size,
                                static_cast<std::int64_t>(status.st_mode),
                                static_cast<std::int64_t>(status.st_ino),
                                status.st_mtim.tv_sec,
                                status.st_mtim.tv_nsec,
                                status.st_ctim.tv_sec,
                                status.st_ctim.tv_nsec};
  return std::string(reinterpret_cast<const char*>(parts), sizeof parts);
}

void Folder::write(const std::string& name, std::string_view content, Mode mode) const {
  stage(name, content, mode);
  publish(name);
}

void Folder::stage(const std::string& name, std::string_view content, Mode mode) const {
  PartFile file(descriptor_, name, path_ / name, mode == Mode::executable ? 0777 : 0666);
  file.append(content);
  file.stay_a_part();
}

void Folder::publish(const std::string& name) const {
  const std::string part = name + part_ending(::getpid());
  if (::renameat(descriptor_, part.c_str(), descriptor_, name.c_str()) != 0) {
    const int error = errno;
    discard(name);
    fail("write", path_ / name, error);
  }
}

void Folder::discard(const std::string& name) const {
  ::unlinkat(descriptor_, (name + part_ending(::getpid())).c_str(), 0);
}

void Folder::make_directory(const std::string& name) const {
  if (::mkdirat(descriptor_, name.c_str(), 0777) != 0 && errno != EEXIST) {
    fail("make folder", path_ / name, errno);
  }
}

bool file_holds(const fs::path& path, const Pieces& content) {
  const Descriptor file{::open(path.c_str(), kRead)};
  if (file.value < 0) return false;
  bool same = true;
  content([&](std::string_view piece) { same = same && next_bytes_are(file.value, piece); });
  char beyond = 0;
  return same && read_some(file.value, &beyond, 1) == 0;
}

void write_pieces_atomically(const fs::path& path, const Pieces& content) {
  PartFile file(path);
  content([&](std::string_view piece) { file.append(piece); });
  file.take_its_name();
}

std::string part_ending(int process) {
  char host[HOST_NAME_MAX + 1] = {};
  if (::gethostname(host, sizeof host) != 0) host[0] = '\0';
  return fmt::format("{}{}@{}", kPart, process, host);
}

PartFile::PartFile(fs::path path) : PartFile(AT_FDCWD, path.string(), path, 0666) {}

PartFile::PartFile(int folder, const std::string& name, fs::path path, unsigned permissions)
    : path_(std::move(path)), folder_(folder), name_(name), part_(name + part_ending(::getpid())) {
  descriptor_ =
      ::openat(folder_, part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, permissions);
  if (descriptor_ < 0) fail("write", path_, errno);
}

PartFile::~PartFile() {
  ::close(descriptor_);
  if (!part_.empty()) ::unlinkat(folder_, part_.c_str(), 0);
}

void PartFile::append(std::string_view bytes) {
  write(bytes, size_);
  size_ += bytes.size();
}

void PartFile::write(std::string_view bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path_, errno);
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
}

void PartFile::flush() const {
  if (::fdatasync(descriptor_) != 0) fail("write", path_, errno);
}

void PartFile::take_its_name() {
  if (::renameat(folder_, part_.c_str(), folder_, name_.c_str()) != 0) fail("write", path_, errno);
  part_.clear();
}

void remove_left_parts(const fs::path& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const fs::path& path = entry.path();
    if (is_left_part(path.filename().string())) ::unlink(path.c_str());
  }
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
