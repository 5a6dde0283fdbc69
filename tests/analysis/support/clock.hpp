// SPDX-License-Identifier: Apache-2.0
// Functions that replace waiting for the clock of a file system.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/store/sources.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::test {

/// Changes the database so that the last collect seems to have been a minute after the last change
/// of the collected files. No file may have changed since the last collect.
inline void let_time_pass(const contract::PlanDir& folder) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READWRITE);
  std::vector<std::pair<std::string, analysis::FileState>> states;
  const int root = ::open(folder.root().c_str(), O_RDONLY | O_DIRECTORY);
  SQLite::Statement query(database, "SELECT path FROM source WHERE ctime_ns = ?");
  query.bind(1, analysis::kUncertain);
  while (query.executeStep()) {
    const std::string path = query.getColumn(0);
    states.emplace_back(path, analysis::state_of(root, path.c_str()));
  }
  ::close(root);
  for (const auto& [path, state] : states) {
    SQLite::Statement update(database,
                             "UPDATE source SET size = ?, mtime_ns = ?, ctime_ns = ?, inode = ? "
                             "WHERE path = ?");
    update.bind(1, state.size);
    update.bind(2, state.mtime_ns);
    update.bind(3, state.ctime_ns);
    update.bind(4, state.inode);
    update.bind(5, path);
    update.exec();
  }
}

/// Changes the database so that the clock seems not to have advanced between the last change of a
/// file and the last collect.
inline void make_uncertain(const contract::PlanDir& folder, const std::string& path) {
  SQLite::Database database(folder.database().string(), SQLite::OPEN_READWRITE);
  SQLite::Statement update(database, "UPDATE source SET ctime_ns = ? WHERE path = ?");
  update.bind(1, analysis::kUncertain);
  update.bind(2, path);
  update.exec();
}

}  // namespace dlscale::test
