// SPDX-License-Identifier: Apache-2.0
// What a collect looks at, what the system says of it, and what the collect before left beside its
// database of how it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/store/ingest.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

// What the system says of files and folders without opening them.

/// Differs after every change of a file, and of a folder after every name that came or went, unless
/// the file system's clock stood still meanwhile: see is_certain.
struct FileState {
  std::int64_t size = -1;  ///< bytes; below 0: no file or folder that can be looked at
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  ///< which nobody can set back
  std::uint64_t inode = 0;
  bool exists() const { return size >= 0; }
  bool operator==(const FileState&) const = default;
};

/// `path` is relative to an open folder, or absolute.
FileState state_of(int folder, const char* path);

/// Of many files, by several threads: over a network each question is a wait.
std::vector<FileState> states_of(int folder, const std::vector<const char*>& paths);

/// True when a later change of what was looked at not before `looked_ns`, by the same file system's
/// clock, must show in its state. Of what had changed just then the next change may have the same
/// times.
bool is_certain(const FileState& state, std::int64_t looked_ns);

// What a collect leaves beside its database for the next: all that it looked at, and how that was.

/// Tells one state of a database file from all others.
struct DatabaseMark {
  std::uint64_t version = 0;  ///< of notes
  std::int64_t schema = 0;
  std::int64_t size = 0;
  std::uint64_t inode = 0;
  std::uint64_t changes = 0;  ///< transactions, by its own count
  bool operator==(const DatabaseMark&) const = default;
};

/// Nothing of a database that is not there or is being written.
std::optional<DatabaseMark> mark_of(const std::filesystem::path& database);

/// A cache of a cache: without it, or where it is of another database, files are read again.
struct CollectNote {
  DatabaseMark database;           ///< as the collect left it
  std::int64_t started_ns = 0;     ///< when the collect began, by the file system's clock
  IngestSummary summary;           ///< as of a collect that finds nothing changed
  std::vector<std::string> paths;  ///< from the plan folder, or absolute
  std::vector<FileState> states;   ///< of each path, before it was read
};

/// results.sqlite-seen
std::filesystem::path note_of(const std::filesystem::path& database);

/// The note of a database as it is now. Nothing where there is none, it cannot be read, or the
/// database has been written since, or is being written: whoever wrote it may have seen more.
std::optional<CollectNote> read_note(const std::filesystem::path& database);

/// Before a collect looks at anything: empties the note, and tells the time by the clock that the
/// folder's files have. Throws base::RunError where the folder cannot be written.
std::int64_t begin_note(const std::filesystem::path& database);

/// Behind a collect's last write to the database, whose mark it makes. A disk that has no room for
/// it has no note.
void write_note(const std::filesystem::path& database, CollectNote& note);

// What a collect looks at, and whether it is as the collect before left it.

/// Whatever decides what a collect writes must have been looked at here before it was read: what
/// nobody looks at, the next collect takes to be unchanged.
class SeenFiles {
 public:
  /// Reads the note of the folder's database and looks at all that it names.
  explicit SeenFiles(const contract::PlanDir& folder);
  ~SeenFiles();
  SeenFiles(const SeenFiles&) = delete;
  SeenFiles& operator=(const SeenFiles&) = delete;

  /// Of the collect before, if nothing has changed since; else nothing.
  std::optional<IngestSummary> unchanged_summary() const;
  /// What the collect before saw counts no more.
  void forget();
  /// So where another collect has written the database since. To be asked when none can any more.
  void forget_unless_current();

  /// `path` is relative to the plan folder, or absolute. Each is looked at once.
  const FileState& look(const std::string& path);
  bool exists(const std::string& path) { return look(path).exists(); }
  /// Looks; true when nothing has happened to it since the collect before looked.
  bool is_unchanged(const std::string& path);

  /// What a look would see, which is not kept: several threads may peek at a time, and nobody look
  /// meanwhile.
  struct Sight {
    FileState state;
    bool unchanged = false;  ///< nothing has happened to it since the collect before looked
  };
  Sight peek(const std::string& path) const;
  /// Makes a look of a peek.
  const FileState& keep(const std::string& path, const FileState& state);

  /// It was there and could not be read, or not by this user, or is not what was imported: the next
  /// collect reads it again.
  void distrust(const std::string& path);

  /// All that was looked at since the constructor; `started_ns` is the time of that.
  CollectNote note(std::int64_t started_ns, IngestSummary summary);
  const std::optional<CollectNote>& before() const { return before_; }

 private:
  bool is_as_before(std::size_t i) const;
  /// Its state where that is as before, else null.
  const FileState* as_before(const std::string& path) const;

  int root_;  ///< descriptor; -1 where there is no such folder
  std::filesystem::path database_;
  std::optional<CollectNote> before_;
  std::vector<FileState> now_;  ///< of the paths of `before_`
  mutable std::once_flag placed_;
  mutable std::unordered_map<std::string_view, std::size_t> places_;  ///< of these paths
  std::unordered_map<std::string, FileState> looked_;
  std::vector<const std::pair<const std::string, FileState>*> order_;  ///< they were looked at in
};

}  // namespace dlscale::analysis
