// SPDX-License-Identifier: Apache-2.0
// The database of a plan folder: a cache of its files that may be deleted at any time.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// An open database of the current schema. It uses no write-ahead log, whose shared memory does
/// not work across the nodes of a network file system.
class Store {
 public:
  enum class Access {
    Read,   ///< the file must be there
    Write,  ///< made where there is none
  };
  /// Throws base::RunError, naming the file and the remedy, for a file that cannot be opened, is
  /// damaged, is no dlscale database, or is of another version's schema.
  Store(const std::filesystem::path& file, Access access);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  const std::filesystem::path& file() const { return file_; }

  /// Calls `work` with the database; SQLite's errors become base::RunError as above. With Write
  /// access all of `work` is one transaction: done wholly or not at all.
  void with(const std::function<void(SQLite::Database&)>& work);

  /// True for a database of dlscale that has the schema of another version.
  static bool is_of_other_version(const std::filesystem::path& file);

  /// Deletes the database and what SQLite may have left beside it. Throws base::RunError.
  static void remove(const std::filesystem::path& file);
  /// Puts the database that is at `by`, closed or not, in the place of `file`, whatever that is.
  /// Nobody may be writing either. Throws base::RunError.
  static void replace(const std::filesystem::path& file, const std::filesystem::path& by);

 private:
  std::filesystem::path file_;
  Access access_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace dlscale::analysis
