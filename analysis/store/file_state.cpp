// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/file_state.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <thread>

namespace dlscale::analysis {
namespace {

/// Coarsest clock of a file system in use (FAT); others tick once a second (NFS on ext3) or
/// oftener.
constexpr std::int64_t kTick_ns = 2'000'000'000;
constexpr std::int64_t kNoFile = -2;  ///< but a pipe, a socket or a device
constexpr std::size_t kMostLookers = 8;
constexpr std::size_t kWorthAThread = 2000;  ///< files

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
  const auto look = [&](std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) states[i] = state_of(folder, paths[i]);
  };
  const std::size_t cores = std::thread::hardware_concurrency();
  const std::size_t threads = std::clamp(paths.size() / kWorthAThread, std::size_t{1},
                                         std::clamp(cores, std::size_t{1}, kMostLookers));
  const std::size_t share = (paths.size() + threads - 1) / threads;
  std::vector<std::jthread> others;
  for (std::size_t i = 1; i < threads; ++i) {
    const std::size_t first = std::min(i * share, paths.size());
    const std::size_t end = std::min(first + share, paths.size());
    try {
      others.emplace_back(look, first, end);
    } catch (const std::system_error&) {  // the user may have no more threads
      look(first, end);
    }
  }
  look(0, std::min(share, paths.size()));
  others.clear();  // waits for them
  return states;
}

bool is_certain(const FileState& state, std::int64_t looked_ns) {
  return !state.exists() || std::max(state.mtime_ns, state.ctime_ns) < looked_ns - kTick_ns;
}

}  // namespace dlscale::analysis
