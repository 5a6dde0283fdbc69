// SPDX-License-Identifier: Apache-2.0
// Keeps the state, the content's digest and the problems of each file and folder that `dlscale
// collect` checked, in the database table `source`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/store/ingest.hpp"
#include "contract/plan/run_dir.hpp"

namespace SQLite {
class Database;
}

namespace dlscale::analysis {

/// State of a file or folder as stat() reports it. The state of a file differs after every change
/// of the file. The state of a folder differs after a name in it was added or removed. Changes
/// within one tick of the file system's clock may leave the state equal (see is_certain).
struct FileState {
  std::int64_t size = -1;  ///< size in bytes; negative: missing, or neither a file nor a folder
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  ///< time of the last status change, which cannot be set back
  std::int64_t inode = 0;
  bool exists() const { return size >= 0; }
  bool operator==(const FileState&) const = default;
};

/// Returns the state of `path`, which is relative to the open folder `folder` or absolute.
FileState state_of(int folder, const char* path);

/// Returns true if every change of the file after the check is sure to change its state. This is
/// false for a file that changed just before the check, because the file may change again within
/// the same clock tick and keep the same times. `looked_ns` is the earliest time of the check in
/// nanoseconds, by the clock of the same file system.
bool is_certain(const FileState& state, std::int64_t looked_ns);

/// The following two marks replace the time of a file's last status change in the table. No file
/// has such a time, so the next collect reads the marked file again.
constexpr std::int64_t kUncertain = -1;   ///< mark for a file that may have changed after the check
constexpr std::int64_t kDistrusted = -2;  ///< mark for a file that Sources::distrust was called for

/// States of all files and folders on which the result of a collect depends. A collect must check
/// each file with this class before it reads the file. Otherwise the next collect would not notice
/// changes of the file.
class Sources {
 public:
  /// Reads the states of files that the previous collect stored in `database`, and checks each of
  /// these files again. `folder` and `database` must outlive this object.
  Sources(const contract::PlanDir& folder, SQLite::Database& database);
  ~Sources();
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  /// Returns true if none of the files and folders that the previous collect checked has changed.
  bool are_unchanged() const;
  /// Returns the paths that the previous collect checked and that have not changed.
  std::set<std::string> unchanged_paths() const;
  /// Returns the paths that the previous collect checked, sorted.
  const std::vector<std::string>& paths_before() const { return before_; }

  /// Returns the state of `path`, which is relative to the plan folder or absolute. The first call
  /// for a path checks it and keeps the state. Later calls return the same state.
  const FileState& look(const std::string& path);
  bool exists(const std::string& path) { return look(path).exists(); }
  /// Checks the path. Returns true if the file or folder has not changed since the previous
  /// collect.
  bool is_unchanged(const std::string& path);

  /// State that peek() returns. peek() does not keep the state for later calls, so several threads
  /// may call peek() at the same time. No other member function may be called meanwhile.
  struct Sight {
    FileState state;
    bool unchanged = false;  ///< true if unchanged since the previous collect
  };
  Sight peek(const std::string& path) const;
  /// Keeps a state that peek() returned, so that look() returns it from now on.
  const FileState& keep(const std::string& path, const FileState& state);
  /// Marks the file so that the next collect reads it again. Callers use this for files that could
  /// not be read or that differ from the imported file.
  void distrust(const std::string& path);

  /// Returns true if the database already holds content of this file, and marks that content as
  /// still valid.
  bool knows(const std::string& path);
  /// Returns the SHA-256 digest of the file content that the database holds. The digest is empty if
  /// the database holds no content of this file.
  const std::string& sha256_of(const std::string& path) const;
  /// Returns true if the database holds exactly the content with this digest, and marks that
  /// content as still valid.
  bool has_content(const std::string& path, const std::string& sha256);

  struct Note {
    std::string sha256;
    std::string problems;  ///< problems, one per line
    bool truncated = false;
    /// Indices of the patterns of the study that read no line of the log (LogContent). Empty for
    /// other files.
    std::set<std::size_t> unused_patterns = {};
  };
  void note(const std::string& path, Note note);
  /// Records the problem that explains why the database holds no content of the file.
  void note_problem(const std::string& path, const std::string& problem);
  /// Marks the content of the file in the database as no longer valid.
  void drop(const std::string& path);

  /// Writes the checked states and the content of each file to the table `source`, and deletes the
  /// rows of paths that were not checked. `started_ns` is the start of this collect in nanoseconds
  /// by the file system's clock. A file that may have changed since then is marked as uncertain.
  void write(std::int64_t started_ns);
  /// Adds the names of truncated files and the problems of all files in the table to `summary`.
  void report(IngestSummary& summary) const;

 private:
  struct Row {
    FileState before, now;  ///< state in the table, and state found by the constructor
    bool is_stored = false;
    FileState state;  ///< state that look() or keep() stored
    bool is_looked_at = false;
    Note content;
    bool is_noted = false;  ///< true if `content` must be written to the table
    bool counts = false;    ///< true if `content` still describes the file
    bool is_as_before() const { return is_stored && now == before; }
  };

  int root_;  ///< file descriptor; -1 if the folder does not exist
  SQLite::Database& database_;
  std::vector<std::string> before_;
  std::unordered_map<std::string, Row> rows_;
};

/// Returns the paths that the last collect of a folder checked and that have not changed since.
/// Returns an empty set if the folder has no readable database.
std::set<std::string> unchanged_paths(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
