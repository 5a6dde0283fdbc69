// SPDX-License-Identifier: Apache-2.0
// Remembers in the table `source` the state, content and problems of each file and folder that a
// collect looked at.
#pragma once

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

/// What the system says of a file or folder without opening it. Differs after every change of a
/// file, and of a folder after every name that came or went, unless the file system's clock stood
/// still meanwhile: see is_certain.
struct FileState {
  std::int64_t size = -1;  ///< bytes; below 0: no file or folder that can be looked at
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  ///< cannot be set back
  std::int64_t inode = 0;
  bool exists() const { return size >= 0; }
  bool operator==(const FileState&) const = default;
};

/// `path` is relative to an open folder, or absolute.
FileState state_of(int folder, const char* path);

/// True when a later change of what was looked at not before `looked_ns`, by the same file system's
/// clock, must show in its state. A file that had changed just then may change again and have the
/// same times.
bool is_certain(const FileState& state, std::int64_t looked_ns);

/// Stand in the table in place of the time of the last change. No file has them, so that the next
/// collect reads the file again.
constexpr std::int64_t kUncertain = -1;   ///< it may have changed after it was looked at
constexpr std::int64_t kDistrusted = -2;  ///< see Sources::distrust

/// Whatever decides what a collect writes must have been looked at here before it was read: the
/// next collect takes everything else to be unchanged.
class Sources {
 public:
  /// Reads what the collect before saw and looks at all of it. Both must outlive this.
  Sources(const contract::PlanDir& folder, SQLite::Database& database);
  ~Sources();
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  /// True when nothing that the collect before looked at has changed.
  bool are_unchanged() const;
  /// Paths that the collect before looked at and that have not changed.
  std::set<std::string> unchanged_paths() const;
  /// Paths that the collect before looked at, sorted.
  const std::vector<std::string>& paths_before() const { return before_; }

  /// `path` is relative to the plan folder, or absolute. Each is looked at once.
  const FileState& look(const std::string& path);
  bool exists(const std::string& path) { return look(path).exists(); }
  /// Looks; true when it has not changed since the collect before looked.
  bool is_unchanged(const std::string& path);

  /// What a look would see, which is not kept: several threads may peek at a time, but not during
  /// a call of another member.
  struct Sight {
    FileState state;
    bool unchanged = false;  ///< since the collect before looked
  };
  Sight peek(const std::string& path) const;
  /// Makes a look of a peek.
  const FileState& keep(const std::string& path, const FileState& state);
  /// Makes the next collect read the file again: it was there and could not be read, or is not what
  /// was imported.
  void distrust(const std::string& path);

  /// True when the file's content was noted before. The content still counts.
  bool knows(const std::string& path);
  /// Digest of the content that was noted; empty for a file without.
  const std::string& sha256_of(const std::string& path) const;
  /// True when the file has the content that was noted, which still counts.
  bool has_content(const std::string& path, const std::string& sha256);

  struct Note {
    std::string sha256;
    std::string problems;  ///< one a line
    bool truncated = false;
  };
  void note(const std::string& path, Note note);
  /// Notes why there is no content, in place of it.
  void note_problem(const std::string& path, const std::string& problem);
  /// The file's content counts no more.
  void drop(const std::string& path);

  /// Makes the table say what was looked at and noted since `started_ns`, by the file system's
  /// clock, and nothing else.
  void write(std::int64_t started_ns);
  /// Adds what the table says of all files.
  void report(IngestSummary& summary) const;

 private:
  struct Row {
    FileState before, now;  ///< as the table has it, and as it was when this was made
    bool is_stored = false;
    FileState state;  ///< as it was looked at
    bool is_looked_at = false;
    Note content;
    bool is_noted = false;  ///< the content is not the one in the table
    bool counts = false;    ///< the content is still what the file holds
    bool is_as_before() const { return is_stored && now == before; }
  };

  int root_;  ///< descriptor; -1 where there is no such folder
  SQLite::Database& database_;
  std::vector<std::string> before_;
  std::unordered_map<std::string, Row> rows_;
};

/// Paths that the last collect of a folder looked at and that have not changed; none where the
/// folder has no database that can be read.
std::set<std::string> unchanged_paths(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
