// SPDX-License-Identifier: Apache-2.0
// Checks the file system of a plan folder: writing, locks, clock and space.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/clock.hpp"
#include "workspace/doctor/check.hpp"

namespace dlscale::workspace {

/// Free and total space of the file system for this user. Totals of 0: the file system does not
/// count them.
struct FreeSpace {
  std::uint64_t bytes = 0, bytes_total = 0;
  std::uint64_t inodes = 0, inodes_total = 0;
};

/// Checks space and inodes. `inodes_needed` is for the remaining runs.
Checks judge_space(const FreeSpace& space, std::uint64_t inodes_needed);
/// Checks the clocks. Takes the time of a newly written file and of this machine, in Unix time.
Check judge_clock(double file_unix_s, double here_unix_s);

/// Checks writing by creating and deleting a small file in the folder.
Checks check_folder(const std::filesystem::path& folder, const base::Clock& clock,
                    std::uint64_t inodes_needed);

}  // namespace dlscale::workspace
