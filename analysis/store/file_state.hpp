// SPDX-License-Identifier: Apache-2.0
// What the system says of files and folders without opening them.
#pragma once

#include <cstdint>
#include <vector>

namespace dlscale::analysis {

/// Differs after every change of a file, and of a folder after every name that came or went, unless
/// the file system's clock stood still meanwhile: see is_certain.
struct FileState {
  std::int64_t size = -1;  ///< bytes; below 0: no file or folder that can be looked at
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  ///< which nobody can set back
  std::uint64_t inode = 0;
  bool exists() const { return size >= 0; }
  bool operator==(const FileState&) const = default;
};

/// `path` is relative to an open folder, or absolute.
FileState state_of(int folder, const char* path);

/// Of many files, by several threads: over a network each question is a wait.
std::vector<FileState> states_of(int folder, const std::vector<const char*>& paths);

/// True when a later change of what was looked at not before `looked_ns`, by the same file system's
/// clock, must show in its state. Of what had changed just then the next change may have the same
/// times.
bool is_certain(const FileState& state, std::int64_t looked_ns);

}  // namespace dlscale::analysis
