// SPDX-License-Identifier: Apache-2.0
// Complete content of a database as text.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"

namespace dlscale::test {

/// Returns every row of every table, ordered by table name. Leaves out values that may differ
/// between two collects of the same files: times, inodes, and missing files.
inline std::string dump_all(const contract::PlanDir& folder) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READONLY);
  std::vector<std::string> tables;
  SQLite::Statement names(database,
                          "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  while (names.executeStep()) tables.push_back(names.getColumn(0));
  std::string text;
  for (const std::string& table : tables) {
    SQLite::Statement query(
        database, "SELECT * FROM " + table + (table == "source" ? " WHERE size >= 0" : ""));
    while (query.executeStep()) {
      text += table;
      for (int i = 0; i < query.getColumnCount(); ++i) {
        const std::string name = query.getColumnName(i);
        if (name == "mtime_ns" || name == "ctime_ns" || name == "inode") continue;
        text += "|" + query.getColumn(i).getString();
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace dlscale::test
