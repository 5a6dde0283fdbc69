// SPDX-License-Identifier: Apache-2.0
// The files that the database was made of, as its table `source` has them.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "analysis/store/import/foreign_log.hpp"
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

  /// True when the file is as it was when it was noted, by its size and time. It is then still
  /// there: forget_gone keeps it.
  bool is_unchanged(const std::string& name, const FileStamp& stamp);
  /// True when it has the content that was noted; its time is noted anew.
  bool has_content(const std::string& name, const FileStamp& stamp, const std::string& sha256);

  struct Note {
    FileStamp stamp;
    std::string sha256;
    std::string problems;  ///< one a line
    bool truncated = false;
  };
  void note(const std::string& name, const Note& note);

  /// Deletes the rows of files that nobody asked about or noted.
  void forget_gone();
  /// Adds what was noted of all files, those that were not read again among them.
  void report(IngestSummary& summary) const;

 private:
  struct Known {
    FileStamp stamp;
    std::string sha256;
  };

  struct Table;

  SQLite::Database& database_;
  std::unique_ptr<Table> table_;
  std::map<std::string, Known> known_;  ///< before this time
  std::set<std::string> present_;       ///< found now
};

}  // namespace dlscale::analysis
