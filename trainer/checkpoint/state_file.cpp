// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/state_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void fail(const char* action, const fs::path& path) {
  throw base::RunError(
      fmt::format("cannot {} {}: {}", action, path.string(), std::strerror(errno)));
}

std::uint32_t crc32_of(std::uint32_t before, std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

StateFile::StateFile(const fs::path& path)
    : path_(path),
      descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) fail("write", path_);
}

StateFile::~StateFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StateFile::append(std::string_view bytes) {
  crc32_ = crc32_of(crc32_, bytes);
  bytes_ += static_cast<std::int64_t>(bytes.size());
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("write", path_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

contract::SavedFile StateFile::close() {
  if (::fsync(descriptor_) != 0) fail("write", path_);
  const int descriptor = descriptor_;
  descriptor_ = -1;
  if (::close(descriptor) != 0) fail("write", path_);
  return {path_.filename().string(), bytes_, crc32_};
}

void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail("open", folder);
  // Some network file systems cannot do this for folders; they keep names at the server anyway.
  const bool failed = ::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP;
  ::close(descriptor);
  if (failed) fail("write", folder);
}

std::string read_saved(const fs::path& folder, const contract::SavedFile& file) {
  const fs::path path = folder / file.name;
  std::string bytes = base::read_file(path);
  if (static_cast<std::int64_t>(bytes.size()) != file.bytes) {
    throw base::RunError(
        fmt::format("{} has {} bytes instead of {}", path.string(), bytes.size(), file.bytes));
  }
  if (crc32_of(0, bytes) != file.crc32) {
    throw base::RunError(fmt::format("{} is damaged: its checksum is wrong", path.string()));
  }
  return bytes;
}

}  // namespace dlscale::trainer
