// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sources.hpp"

#include <algorithm>

#include "analysis/store/sqlite_inserter.hpp"

namespace dlscale::analysis {

/// Prepared once for all files.
struct Sources::Table {
  Inserter rows;
};

Sources::Sources(SQLite::Database& database)
    : database_(database),
      table_(new Table{{database,
                        "source",
                        {"path", "size", "mtime_ns", "sha256", "truncated", "problems"},
                        "INSERT OR REPLACE"}}) {
  SQLite::Statement query(database_, "SELECT path, size, mtime_ns, sha256 FROM source");
  while (query.executeStep()) {
    const FileStamp stamp{query.getColumn(1).getInt64(), query.getColumn(2).getInt64()};
    known_[query.getColumn(0)] = {stamp, query.getColumn(3).getString()};
  }
}

Sources::~Sources() = default;

bool Sources::is_unchanged(const std::string& name, const FileStamp& stamp) {
  if (stamp.size < 0) return false;
  present_.insert(name);
  const auto known = known_.find(name);
  return known != known_.end() && known->second.stamp == stamp;
}

bool Sources::has_content(const std::string& name, const FileStamp& stamp,
                          const std::string& sha256) {
  const auto known = known_.find(name);
  if (known == known_.end() || known->second.sha256 != sha256) return false;
  SQLite::Statement touch(database_, "UPDATE source SET mtime_ns = ? WHERE path = ?");
  touch.bind(1, stamp.mtime_ns);
  touch.bind(2, name);
  touch.exec();
  return true;
}

void Sources::note(const std::string& name, const Note& note) {
  present_.insert(name);
  table_->rows.add(name, note.stamp.size, note.stamp.mtime_ns, note.sha256, note.truncated);
  table_->rows.add(note.problems).done();
}

void Sources::forget_gone() {
  SQLite::Statement remove(database_, "DELETE FROM source WHERE path = ?");
  for (const auto& [path, source] : known_) {
    if (present_.contains(path)) continue;
    remove.reset();
    remove.bind(1, path);
    remove.exec();
  }
}

void Sources::report(IngestSummary& summary) const {
  SQLite::Statement query(database_,
                          "SELECT path, truncated, problems FROM source "
                          "WHERE truncated OR problems <> '' ORDER BY path");
  while (query.executeStep()) {
    if (query.getColumn(1).getInt() != 0) summary.truncated.push_back(query.getColumn(0));
    std::string problems = query.getColumn(2);
    while (!problems.empty()) {
      const std::size_t end = std::min(problems.find('\n'), problems.size());
      summary.problems.push_back(problems.substr(0, end));
      problems.erase(0, end + 1);
    }
  }
}

}  // namespace dlscale::analysis
