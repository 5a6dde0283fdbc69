// SPDX-License-Identifier: Apache-2.0
// The files that the database was made of, as its table `source` has them.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>

#include "analysis/import/foreign_log.hpp"
#include "analysis/store/ingest.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

class Sources {
 public:
  /// Reads the table.
  explicit Sources(SQLite::Database& database);
  ~Sources();
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  /// True when the file was noted before. It is then still there: forget_gone keeps it.
  bool knows(const std::string& name);
  /// That was noted; empty for a file that was not.
  const std::string& sha256_of(const std::string& name) const;
  /// True when it has the content that was noted; its size and time are noted anew.
  bool has_content(const std::string& name, const FileStamp& stamp, const std::string& sha256);

  struct Note {
    FileStamp stamp;
    std::string sha256;
    std::string problems;  ///< one a line
    bool truncated = false;
  };
  void note(const std::string& name, const Note& note);

  /// The file says nothing any more: forget_gone deletes its row.
  void drop(const std::string& name);
  /// Deletes the rows of files that nobody asked about or noted.
  void forget_gone();
  /// Adds what was noted of all files, those that were not read again among them.
  void report(IngestSummary& summary) const;

 private:
  struct Known {
    std::string sha256;
    bool present = false;  ///< found now
  };

  struct Table;

  SQLite::Database& database_;
  std::unique_ptr<Table> table_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace dlscale::analysis
