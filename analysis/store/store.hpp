// SPDX-License-Identifier: Apache-2.0
// Opens the database of a plan folder, which is a cache of the folder's files and may be deleted at
// any time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// Open database of the current schema. It does not use a write-ahead log, because the shared
/// memory of such a log does not work across the nodes of a network file system.
class Store {
 public:
  enum class Access {
    Read,   ///< read access; the file must exist
    Write,  ///< write access; a missing file is created
  };
  /// Opens the database. Throws base::RunError, which names the file and the remedy, for a file
  /// that cannot be opened, is damaged, is not a database of dlscale, or has the schema of another
  /// version.
  Store(const std::filesystem::path& file, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& file() const { return file_; }

  /// Calls `work` with the database. SQLite's errors become base::RunError, as in the constructor.
  /// With Write access, all of `work` is one transaction, which is committed completely or not at
  /// all.
  void with(const std::function<void(SQLite::Database&)>& work);

  /// Returns true for a database of dlscale that has the schema of another version.
  static bool is_of_other_version(const std::filesystem::path& file);

  /// Deletes the database and the journal that SQLite may have left next to it. Throws
  /// base::RunError when a file cannot be deleted.
  static void remove(const std::filesystem::path& file);
  /// Replaces `file`, whatever it contains, by the database at `by`, which may be open. No process
  /// may be writing to either file. Throws base::RunError when the file cannot be replaced.
  static void replace(const std::filesystem::path& file, const std::filesystem::path& by);

 private:
  std::filesystem::path file_;
  Access access_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace dlscale::analysis
