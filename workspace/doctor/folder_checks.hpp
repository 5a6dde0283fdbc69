// SPDX-License-Identifier: Apache-2.0
// Whether a folder's file system will do for a plan: writing, locks, clock, space.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Of the file system, to this user. Totals of 0: it does not count them.
struct FreeSpace {
  std::uint64_t bytes = 0, bytes_total = 0;
  std::uint64_t inodes = 0, inodes_total = 0;
};

/// `inodes_needed`: by the runs that are left.
Checks judge_space(const FreeSpace& space, std::uint64_t inodes_needed);
/// A file's time just after it was written, and this machine's, in unix time.
Check judge_clock(double file_unix_s, double here_unix_s);

/// Writes a small file into the folder and deletes it again.
Checks check_folder(const std::filesystem::path& folder, const base::Clock& clock,
                    std::uint64_t inodes_needed);

}  // namespace dlscale::workspace
