// SPDX-License-Identifier: Apache-2.0
// Lock that lets only one `dlscale collect` at a time write the database of a plan folder.
#pragma once

#include <cstdint>
#include <filesystem>

namespace dlscale::analysis {

/// Lock that every writer of the database holds. It is on a separate empty file
/// `results.sqlite-lock`, which stays in the folder. SQLite's own lock would not be enough: it is
/// on the database file, and a rebuild replaces that file. Readers do not need the lock. The
/// operating system releases the lock when the process ends, also on every network file system on
/// which SQLite's own lock works.
class CollectLock {
 public:
  /// Waits until no other collect holds the lock, and takes it. `database` is the path of the
  /// database file. Throws base::RunError after two minutes of waiting or if the folder cannot be
  /// written.
  explicit CollectLock(const std::filesystem::path& database);
  ~CollectLock();
  CollectLock(const CollectLock&) = delete;
  CollectLock& operator=(const CollectLock&) = delete;

  /// Returns the current time in nanoseconds, by the clock of the folder's file system. This clock
  /// can differ from the clock of this machine. Throws base::RunError if the modification time of
  /// the lock file cannot be set.
  std::int64_t now_ns() const;

 private:
  int descriptor_;
};

}  // namespace dlscale::analysis
