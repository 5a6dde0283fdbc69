// SPDX-License-Identifier: Apache-2.0
// One collect at a time writes the database of a plan folder.
#pragma once

#include <cstdint>
#include <filesystem>

namespace dlscale::analysis {

/// SQLite's own lock is on the file that a rebuild replaces, so writers hold this one on a file
/// beside it: `results.sqlite-lock`, which stays and is empty. Readers need none. The lock goes
/// with the process that holds it, on network file systems, too, as far as SQLite's does.
class CollectLock {
 public:
  /// Waits for other collects. Throws base::RunError when these take too long, and where the
  /// folder cannot be written.
  explicit CollectLock(const std::filesystem::path& database);
  ~CollectLock();
  CollectLock(const CollectLock&) = delete;
  CollectLock& operator=(const CollectLock&) = delete;

  /// Returns the time by the clock that the folder's files have. Throws base::RunError.
  std::int64_t now_ns() const;

 private:
  int descriptor_;
};

}  // namespace dlscale::analysis
