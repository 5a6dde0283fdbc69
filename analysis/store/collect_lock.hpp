// SPDX-License-Identifier: Apache-2.0
// Lock that lets only one collect at a time write the database of a plan folder.
#pragma once

#include <cstdint>
#include <filesystem>

namespace dlscale::analysis {

/// Lock on the file `results.sqlite-lock` next to the database, which stays in the folder and is
/// empty. SQLite locks the database file itself, which a rebuild replaces, so all writers hold this
/// lock instead. Readers do not need it. The system releases the lock when the process ends, also
/// on network file systems on which SQLite's own lock works.
class CollectLock {
 public:
  /// Waits for other collects. Throws base::RunError when the wait exceeds its limit or when the
  /// folder cannot be written.
  explicit CollectLock(const std::filesystem::path& database);
  ~CollectLock();
  CollectLock(const CollectLock&) = delete;
  CollectLock& operator=(const CollectLock&) = delete;

  /// Returns the current time in nanoseconds, by the clock of the folder's file system. Throws
  /// base::RunError when the lock file cannot be touched.
  std::int64_t now_ns() const;

 private:
  int descriptor_;
};

}  // namespace dlscale::analysis
