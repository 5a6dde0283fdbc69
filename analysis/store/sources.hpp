// SPDX-License-Identifier: Apache-2.0
// Stores the state, content and problems of each file and folder that a collect checked, in the
// table `source`.
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

/// State of a file or folder that the system reports without opening it. The state of a file
/// differs after every change of the file. The state of a folder differs after every added or
/// removed name. Changes within one tick of the file system's clock may not show (see is_certain).
struct FileState {
  std::int64_t size = -1;  ///< size in bytes; negative: neither a file nor a folder
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  ///< time of the last status change, which cannot be set back
  std::int64_t inode = 0;
  bool exists() const { return size >= 0; }
  bool operator==(const FileState&) const = default;
};

/// Returns the state of `path`, which is relative to the open folder `folder` or absolute.
FileState state_of(int folder, const char* path);

/// Returns true if every change after the check must show in the state. `looked_ns` is the earliest
/// time of the check in nanoseconds, by the clock of the same file system. A file that had changed
/// just before the check may change again and keep the same times.
bool is_certain(const FileState& state, std::int64_t looked_ns);

/// Values that the table stores in place of the time of the last status change. A file never has
/// them, so the next collect reads the file again.
constexpr std::int64_t kUncertain = -1;   ///< mark of a file that may have changed after the check
constexpr std::int64_t kDistrusted = -2;  ///< mark of a file that Sources::distrust was called for

/// States of all files and folders that decide what a collect writes. A collect must check each
/// file here before it reads the file, because the next collect assumes that all other files are
/// unchanged.
class Sources {
 public:
  /// Reads the states that the previous collect stored and checks all of these files again. Both
  /// arguments must outlive this object.
  Sources(const contract::PlanDir& folder, SQLite::Database& database);
  ~Sources();
  Sources(const Sources&) = delete;
  Sources& operator=(const Sources&) = delete;

  /// Returns true if nothing that the previous collect checked has changed.
  bool are_unchanged() const;
  /// Returns the paths that the previous collect checked and that have not changed.
  std::set<std::string> unchanged_paths() const;
  /// Returns the paths that the previous collect checked, sorted.
  const std::vector<std::string>& paths_before() const { return before_; }

  /// Returns the state of `path`, which is relative to the plan folder or absolute. Each path is
  /// checked once, and its state is kept.
  const FileState& look(const std::string& path);
  bool exists(const std::string& path) { return look(path).exists(); }
  /// Checks the path. Returns true if it has not changed since the previous collect.
  bool is_unchanged(const std::string& path);

  /// State that peek() returns without keeping it. Several threads may call peek() at the same
  /// time, but not during a call of another member function.
  struct Sight {
    FileState state;
    bool unchanged = false;  ///< true if unchanged since the previous collect
  };
  Sight peek(const std::string& path) const;
  /// Keeps a state that peek() returned, as if look() had taken it.
  const FileState& keep(const std::string& path, const FileState& state);
  /// Makes the next collect read the file again, because the file could not be read or differs from
  /// the imported file.
  void distrust(const std::string& path);

  /// Returns true if content of the file was recorded earlier, and keeps this content valid.
  bool knows(const std::string& path);
  /// Returns the digest of the recorded content. The digest is empty for a file without content.
  const std::string& sha256_of(const std::string& path) const;
  /// Returns true if the file has the recorded content, and keeps this content valid.
  bool has_content(const std::string& path, const std::string& sha256);

  struct Note {
    std::string sha256;
    std::string problems;  ///< problems, one per line
    bool truncated = false;
  };
  void note(const std::string& path, Note note);
  /// Records the problem that explains why there is no content.
  void note_problem(const std::string& path, const std::string& problem);
  /// Marks the recorded content of the file as no longer valid.
  void drop(const std::string& path);

  /// Updates the table to the checked states and the recorded content, and deletes all other rows.
  /// A file that may have changed since `started_ns`, in nanoseconds of the file system's clock, is
  /// marked as uncertain.
  void write(std::int64_t started_ns);
  /// Adds the truncated files and the problems of all files in the table to `summary`.
  void report(IngestSummary& summary) const;

 private:
  struct Row {
    FileState before, now;  ///< state in the table, and state when this object was created
    bool is_stored = false;
    FileState state;  ///< state that was kept
    bool is_looked_at = false;
    Note content;
    bool is_noted = false;  ///< true if the content differs from the table's content
    bool counts = false;    ///< true if the content is still the content of the file
    bool is_as_before() const { return is_stored && now == before; }
  };

  int root_;  ///< file descriptor; -1 if the folder does not exist
  SQLite::Database& database_;
  std::vector<std::string> before_;
  std::unordered_map<std::string, Row> rows_;
};

/// Returns the paths that the last collect of a folder checked and that have not changed. Returns
/// none if the folder has no readable database.
std::set<std::string> unchanged_paths(const contract::PlanDir& folder);

}  // namespace dlscale::analysis
