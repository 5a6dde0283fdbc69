// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/file_state.hpp"

#include <sys/stat.h>

#include <algorithm>

#include "base/parallel_for.hpp"

namespace dlscale::analysis {
namespace {

/// Coarsest clock of a file system in use (FAT); others tick once a second (NFS on ext3) or
/// oftener.
constexpr std::int64_t kTick_ns = 2'000'000'000;
constexpr std::int64_t kNoFile = -2;  ///< but a pipe, a socket or a device
constexpr base::LoopLimits kLookers{.most_threads = 8, .chunk = 2000};  ///< files worth a thread

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileState state_of(int folder, const char* path) {
  struct stat status {};
  if (::fstatat(folder, path, &status, 0) != 0) return {};
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {.size = kNoFile};
  return {status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim), status.st_ino};
}

std::vector<FileState> states_of(int folder, const std::vector<const char*>& paths) {
  std::vector<FileState> states(paths.size());
  base::parallel_for(
      paths.size(), [&](std::size_t i) { states[i] = state_of(folder, paths[i]); }, kLookers);
  return states;
}

bool is_certain(const FileState& state, std::int64_t looked_ns) {
  return !state.exists() || std::max(state.mtime_ns, state.ctime_ns) < looked_ns - kTick_ns;
}

}  // namespace dlscale::analysis
