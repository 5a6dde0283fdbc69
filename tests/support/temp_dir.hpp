// SPDX-License-Identifier: Apache-2.0
// A temporary folder that is deleted at the end of the test.
#pragma once

#include <stdlib.h>
#include <sys/statvfs.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace dlscale::test {

/// Returns the parent of temporary folders. Uses /dev/shm if it has enough space and TMPDIR is not
/// set, because creating thousands of small files on a disk takes several times longer than the
/// code under test.
inline std::filesystem::path parent_of_temp_dirs() {
  constexpr const char* kMemory = "/dev/shm";
  constexpr std::uint64_t kEnough_bytes = std::uint64_t{2} << 30;
  struct statvfs memory {};
  const bool serves = ::getenv("TMPDIR") == nullptr && ::statvfs(kMemory, &memory) == 0 &&
                      memory.f_bavail * memory.f_frsize > kEnough_bytes &&
                      (memory.f_flag & (ST_NOEXEC | ST_RDONLY)) == 0;
  return serves ? kMemory : std::filesystem::temp_directory_path();
}

class TempDir {
 public:
  TempDir() {
    std::string pattern = (parent_of_temp_dirs() / "dlscale-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace dlscale::test
