// SPDX-License-Identifier: Apache-2.0
// What a collect leaves beside its database for the next: all that it looked at, and how that was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/store/file_state.hpp"
#include "analysis/store/ingest.hpp"

namespace dlscale::analysis {

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

}  // namespace dlscale::analysis
