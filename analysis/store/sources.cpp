// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sources.hpp"

#include "analysis/store/sqlite_rows.hpp"
#include "base/text.hpp"

namespace dlscale::analysis {

/// Prepared once for all files.
struct Sources::Table {
  Inserter rows;
  SQLite::Statement touch;
};

Sources::Sources(SQLite::Database& database)
    : database_(database),
      table_(new Table{{database,
                        "source",
                        {"path", "size", "mtime_ns", "sha256", "truncated", "problems"},
                        "INSERT OR REPLACE"},
                       {database, "UPDATE source SET size = ?, mtime_ns = ? WHERE path = ?"}}) {
  SQLite::Statement query(database_, "SELECT path, sha256 FROM source");
  while (query.executeStep()) known_[query.getColumn(0)] = {query.getColumn(1).getString()};
}

Sources::~Sources() = default;

bool Sources::knows(const std::string& name) {
  const auto known = known_.find(name);
  if (known == known_.end()) return false;
  known->second.present = true;
  return true;
}

const std::string& Sources::sha256_of(const std::string& name) const {
  static const std::string kNone;
  const auto known = known_.find(name);
  return known == known_.end() ? kNone : known->second.sha256;
}

bool Sources::has_content(const std::string& name, const FileStamp& stamp,
                          const std::string& sha256) {
  if (!knows(name) || known_[name].sha256 != sha256) return false;
  SQLite::Statement& touch = table_->touch;
  touch.reset();
  touch.bind(1, stamp.size);
  touch.bind(2, stamp.mtime_ns);
  touch.bind(3, name);
  touch.exec();
  return true;
}

void Sources::note(const std::string& name, const Note& note) {
  known_[name] = {note.sha256, true};
  table_->rows.add(name, note.stamp.size, note.stamp.mtime_ns, note.sha256, note.truncated);
  table_->rows.add(note.problems).done();
}

void Sources::drop(const std::string& name) {
  const auto known = known_.find(name);
  if (known != known_.end()) known->second.present = false;
}

void Sources::forget_gone() {
  SQLite::Statement remove(database_, "DELETE FROM source WHERE path = ?");
  for (const auto& [path, known] : known_) {
    if (known.present) continue;
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
    const std::string problems = query.getColumn(2);
    for (const std::string_view problem : base::lines_of(problems)) {
      summary.problems.emplace_back(problem);
    }
  }
}

}  // namespace dlscale::analysis
