// SPDX-License-Identifier: Apache-2.0
// Opens the database of a plan folder. The database is only a cache of the folder's files and may
// be deleted at any time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Open database with the current version of the schema. It does not use SQLite's write-ahead log,
/// because the shared memory of such a log does not work between nodes that share a network file
/// system.
class Store {
 public:
  enum class Access {
    Read,   ///< read access; the file must exist
    Write,  ///< write access; a missing file is created
  };
  /// Opens the database. Throws base::RunError if the file cannot be opened, is damaged, is not a
  /// database of dlscale, or has another version of the schema. The message names the file and the
  /// remedy.
  Store(const std::filesystem::path& file, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& file() const { return file_; }

  /// Calls `work` with the database, within one transaction. If `work` throws, none of its changes
  /// are stored. SQLite's errors are rethrown as base::RunError, as in the constructor.
  void with(const std::function<void(SQLite::Database&)>& work);

  /// Returns true if the file is a database of dlscale with another version of the schema.
  static bool is_of_other_version(const std::filesystem::path& file);

  /// Deletes the database file and the journal file that SQLite may have left next to it. Throws
  /// base::RunError if one of the files cannot be deleted.
  static void remove(const std::filesystem::path& file);
  /// Replaces `file` by the database `by`, whatever `file` contains. `by` may be open, but no
  /// process may be writing to one of the two files. Throws base::RunError if the file cannot be
  /// replaced.
  static void replace(const std::filesystem::path& file, const std::filesystem::path& by);

 private:
  std::filesystem::path file_;
  Access access_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace dlscale::analysis
