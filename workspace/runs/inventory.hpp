// SPDX-License-Identifier: Apache-2.0
// What lies in a plan folder, by kind, in inodes and bytes: quotas count both. Links are not
// followed: what they lead to lies elsewhere.
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
  std::uint64_t bytes = 0;  ///< that the file system sets aside, as du counts them
  Size& operator+=(const Size& other) {
    inodes += other.inodes;
    bytes += other.bytes;
    return *this;
  }
};

/// Size of a file, or of a folder and all it holds.
Size size_of(const std::filesystem::path& path);

/// "1.2 GB", of 10^9 bytes.
std::string size_text(std::uint64_t bytes);

/// A kind of files, in the order they are listed.
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
  const char* holds;  ///< in words
  bool cleanable;     ///< `dlscale clean --what` takes it
};
const std::vector<FileKindRow>& file_kinds();

/// All of the folder by kind, in the order of file_kinds(). `states` tells which runs are done.
std::vector<Size> inventory(const contract::PlanDir& folder, const runner::States& states);

}  // namespace dlscale::workspace
