// SPDX-License-Identifier: Apache-2.0
// Checks the file system of a plan folder: writing, locks, clock and space.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Free and total space of a file system for this user. A total of 0 means that the file system
/// does not count its bytes or inodes.
struct FreeSpace {
  std::uint64_t bytes = 0, bytes_total = 0;
  std::uint64_t inodes = 0, inodes_total = 0;
};

/// Checks the free bytes and inodes. `inodes_needed` is the number of inodes that the remaining
/// runs need.
Checks judge_space(const FreeSpace& space, std::uint64_t inodes_needed);
/// Compares the clock of the file system with the clock of this machine. `file_unix_s` is the time
/// of a newly written file. Both arguments are seconds since 1970 UTC.
Check judge_clock(double file_unix_s, double here_unix_s);

/// Creates a small file in the folder, uses it to check writing, clock and locks, and deletes it.
/// Also checks the free space.
Checks check_folder(const std::filesystem::path& folder, const base::Clock& clock,
                    std::uint64_t inodes_needed);

}  // namespace dlscale::workspace
