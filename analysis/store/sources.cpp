// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/sources.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/store.hpp"
#include "base/error.hpp"
#include "base/parallel_for.hpp"
#include "base/text.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::analysis {
namespace {

/// Coarsest resolution of file times in nanoseconds. FAT has this resolution of two seconds. Other
/// file systems have a resolution of one second (NFS on ext3) or better.
constexpr std::int64_t kTick_ns = 2'000'000'000;
constexpr std::int64_t kNoFile = -2;  ///< value of FileState::size for a pipe, a socket or a device
/// At most 8 threads check files. Each thread takes 2000 files at a time.
constexpr base::LoopLimits kLookers{.most_threads = 8, .chunk = 2000};

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

/// Returns the numbers in a text such as "0 3".
std::set<std::size_t> indices_in(const std::string& text) {
  std::set<std::size_t> indices;
  std::istringstream numbers(text);
  for (std::size_t index = 0; numbers >> index;) indices.insert(index);
  return indices;
}

}  // namespace

FileState state_of(int folder, const char* path) {
  struct stat status {};
  if (::fstatat(folder, path, &status, 0) != 0) return {};
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {.size = kNoFile};
  return {status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim),
          static_cast<std::int64_t>(status.st_ino)};
}

bool is_certain(const FileState& state, std::int64_t looked_ns) {
  return !state.exists() || std::max(state.mtime_ns, state.ctime_ns) < looked_ns - kTick_ns;
}

Sources::Sources(const contract::PlanDir& folder, SQLite::Database& database)
    : root_(::open(folder.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      database_(database) {
  SQLite::Statement query(database_,
                          "SELECT path, size, mtime_ns, ctime_ns, inode, sha256, problems, "
                          "truncated, unused_patterns FROM source ORDER BY path");
  std::vector<Row*> rows;
  while (query.executeStep()) {
    before_.push_back(query.getColumn(0));
    Row& row = rows_[before_.back()];
    row.before = {query.getColumn(1), query.getColumn(2), query.getColumn(3), query.getColumn(4)};
    row.is_stored = true;
    row.content = {text_or_empty(query.getColumn(5)), query.getColumn(6),
                   query.getColumn(7).getInt() != 0, indices_in(query.getColumn(8).getString())};
    rows.push_back(&row);
  }
  // Several threads check the files, because each check waits for the network on a network file
  // system.
  base::parallel_for(
      rows.size(), [&](std::size_t i) { rows[i]->now = state_of(root_, before_[i].c_str()); },
      kLookers);
}

Sources::~Sources() {
  if (root_ >= 0) ::close(root_);
}

bool Sources::are_unchanged() const {
  return !rows_.empty() && std::all_of(rows_.begin(), rows_.end(),
                                       [](const auto& row) { return row.second.is_as_before(); });
}

std::set<std::string> Sources::unchanged_paths() const {
  std::set<std::string> paths;
  for (const auto& [path, row] : rows_) {
    if (row.is_as_before()) paths.insert(path);
  }
  return paths;
}

Sources::Sight Sources::peek(const std::string& path) const {
  const auto row = rows_.find(path);
  if (row != rows_.end() && row->second.is_as_before()) return {row->second.now, true};
  // A file that has changed once may change again before it is read. Its state is therefore checked
  // again now, instead of using the state from the constructor.
  return {state_of(root_, path.c_str()), false};
}

const FileState& Sources::keep(const std::string& path, const FileState& state) {
  Row& row = rows_[path];
  if (!row.is_looked_at) row.state = state;
  row.is_looked_at = true;
  return row.state;
}

const FileState& Sources::look(const std::string& path) {
  const auto row = rows_.find(path);
  if (row != rows_.end() && row->second.is_looked_at) return row->second.state;
  return keep(path, peek(path).state);
}

bool Sources::is_unchanged(const std::string& path) {
  look(path);
  return rows_[path].is_as_before();
}

void Sources::distrust(const std::string& path) {
  look(path);
  rows_[path].state.ctime_ns = kDistrusted;
}

bool Sources::knows(const std::string& path) {
  const auto row = rows_.find(path);
  if (row == rows_.end() || row->second.content.sha256.empty()) return false;
  return row->second.counts = true;
}

const std::string& Sources::sha256_of(const std::string& path) const {
  static const std::string kNone;
  const auto row = rows_.find(path);
  return row == rows_.end() ? kNone : row->second.content.sha256;
}

bool Sources::has_content(const std::string& path, const std::string& sha256) {
  return sha256_of(path) == sha256 && knows(path);
}

void Sources::note(const std::string& path, Note note) {
  look(path);
  Row& row = rows_[path];
  row.content = std::move(note);
  row.is_noted = row.counts = true;
}

void Sources::note_problem(const std::string& path, const std::string& problem) {
  note(path, {.problems = problem});
}

void Sources::drop(const std::string& path) {
  rows_[path].counts = false;
}

void Sources::write(std::int64_t started_ns) {
  Inserter insert(database_, "source",
                  {"path", "size", "mtime_ns", "ctime_ns", "inode", "sha256", "problems",
                   "truncated", "unused_patterns"},
                  "INSERT OR REPLACE");
  SQLite::Statement remove(database_, "DELETE FROM source WHERE path = ?");
  std::vector<std::string> paths;
  for (const auto& [path, row] : rows_) paths.push_back(path);
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    Row& row = rows_[path];
    if (!row.is_looked_at) {
      remove.reset();
      remove.bind(1, path);
      remove.exec();
      continue;
    }
    if (!row.counts) {
      row.is_noted = !row.content.sha256.empty() || !row.content.problems.empty();
      row.content = {};
    }
    FileState& state = row.state;
    const bool is_distrusted = state.ctime_ns == kDistrusted;
    if (!is_distrusted && !is_certain(state, started_ns)) state.ctime_ns = kUncertain;
    if (row.is_stored && !row.is_noted && state == row.before) continue;
    const Note& content = row.content;
    insert.add(path, state.size, state.mtime_ns, state.ctime_ns, state.inode);
    insert.add(content.sha256.empty() ? std::nullopt : std::optional(content.sha256));
    insert.add(content.problems, content.truncated);
    insert.add(fmt::format("{}", fmt::join(content.unused_patterns, " "))).done();
  }
}

namespace {

/// Returns the indices of the patterns that read no line in the logs of all completed launches.
std::set<std::size_t> patterns_without_lines(SQLite::Database& database) {
  SQLite::Statement query(database,
                          "SELECT DISTINCT unused_patterns FROM source JOIN launch "
                          "ON launch.source = source.path WHERE launch.outcome = ?");
  query.bind(1, contract::to_string(contract::RunOutcome::Completed));
  std::optional<std::set<std::size_t>> unused;
  while (query.executeStep()) {
    const std::set<std::size_t> of_log = indices_in(query.getColumn(0).getString());
    if (!unused) unused = of_log;
    std::erase_if(*unused, [&](std::size_t pattern) { return !of_log.contains(pattern); });
  }
  return unused.value_or(std::set<std::size_t>());
}

}  // namespace

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
  summary.unused_patterns = patterns_without_lines(database_);
}

std::set<std::string> unchanged_paths(const contract::PlanDir& folder) {
  std::set<std::string> paths;
  try {
    Store store(folder.database(), Store::Access::Read);
    store.with(
        [&](SQLite::Database& database) { paths = Sources(folder, database).unchanged_paths(); });
  } catch (const base::RunError&) {  // the next collect reports why the database cannot be read
  }
  return paths;
}

}  // namespace dlscale::analysis
