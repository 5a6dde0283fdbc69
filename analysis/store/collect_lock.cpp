// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/collect_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

/// Longest time that a collect waits for another collect to finish. Even large folders take only
/// seconds.
constexpr std::chrono::seconds kPatience{120};
constexpr std::chrono::milliseconds kPause{5};

/// Tries to lock the whole file with fcntl. Network file systems enforce fcntl locks between nodes.
bool lock(int descriptor) {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return ::fcntl(descriptor, F_OFD_SETLK, &whole) == 0;
}

}  // namespace

CollectLock::CollectLock(const std::filesystem::path& database) {
  const std::string file = database.string() + "-lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw base::RunError(
        fmt::format("{}: cannot be opened or written ({}); check the permissions of the folder",
                    file, std::strerror(errno)));
  }
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!lock(descriptor_)) {
    const bool taken = errno == EAGAIN || errno == EACCES;
    if (taken && std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    const std::string reason = taken ? "another dlscale collect is running" : std::strerror(errno);
    ::close(descriptor_);
    throw base::RunError(fmt::format("{}: cannot be locked: {}", file, reason));
  }
}

std::int64_t CollectLock::now_ns() const {
  struct stat status {};
  if (::futimens(descriptor_, nullptr) != 0 || ::fstat(descriptor_, &status) != 0) {
    throw base::RunError(
        fmt::format("cannot update the lock file of dlscale collect: {}", std::strerror(errno)));
  }
  return std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec;
}

CollectLock::~CollectLock() {
  ::close(descriptor_);
}

}  // namespace dlscale::analysis
