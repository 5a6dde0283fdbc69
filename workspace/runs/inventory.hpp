// SPDX-License-Identifier: Apache-2.0
// Lists the content of a plan folder by kind of file. Sizes are in inodes and bytes, because quotas
// count both. Links are not followed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_state.hpp"

namespace dlscale::workspace {

struct Size {
  std::uint64_t inodes = 0;
  std::uint64_t bytes = 0;  ///< number of bytes that the file system allocated, as du counts them
  Size& operator+=(const Size& other) {
    inodes += other.inodes;
    bytes += other.bytes;
    return *this;
  }
};

/// Returns the size of a file, or the size of a folder including its content.
Size size_of(const std::filesystem::path& path);

/// Returns a size such as "1.2 GB" (10^9 bytes).
std::string size_text(std::uint64_t bytes);

/// Kinds of files, in the order of the listing.
enum class FileKind {
  checkpoints,
  launches,
  results,
  logs,
  tables,
  figures,
  database,
  plan,
  other
};

struct FileKindRow {
  FileKind kind;
  const char* name;
  const char* holds;  ///< description of the files of this kind
  bool cleanable;     ///< true if `dlscale clean --what` accepts the kind
};
const std::vector<FileKindRow>& file_kinds();

/// Returns the total size of the files of each kind, in the order of file_kinds(). `states` shows
/// which runs are completed, because their launches count as results.
std::vector<Size> inventory(const contract::PlanDir& folder, const runner::States& states);

}  // namespace dlscale::workspace
