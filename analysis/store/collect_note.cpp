// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/collect_note.hpp"

#include <fcntl.h>

#include <cstring>
#include <fstream>
#include <string_view>
#include <type_traits>

#include "analysis/store/schema.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Numbers are as this machine has them: on another kind of machine the version differs.
constexpr std::uint64_t kVersion = 0x6473'6565'6e00'0001;
constexpr int kChangeCounter = 24;  ///< where it is in a database (sqlite.org/fileformat2.html)

class Packer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(const T& value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void put(const std::vector<std::string>& texts) {
    put(texts.size());
    for (const std::string& text : texts) {
      put(text.size());
      bytes_ += text;
    }
  }
  void put(const std::vector<FileState>& states) {
    put(states.size());
    bytes_.append(reinterpret_cast<const char*>(states.data()), states.size() * sizeof states[0]);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Each step is false when the bytes are not what a Packer wrote.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T>
  bool take(T& value) { return copy(&value, sizeof value); }
  bool take(std::vector<std::string>& texts) {
    std::size_t count = 0, length = 0;
    if (!take(count) || count > rest_.size()) return false;
    texts.reserve(count);
    for (; count > 0; --count) {
      if (!take(length) || length > rest_.size()) return false;
      texts.emplace_back(rest_.substr(0, length));
      rest_.remove_prefix(length);
    }
    return true;
  }
  bool take(std::vector<FileState>& states) {
    std::size_t count = 0;
    if (!take(count) || count > rest_.size() / sizeof(FileState)) return false;
    states.resize(count);
    return copy(states.data(), count * sizeof(FileState));
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  bool copy(void* to, std::size_t size) {
    if (size > rest_.size()) return false;
    std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
    return true;
  }

  std::string_view rest_;
};

bool take(Unpacker& from, CollectNote& note) {
  IngestSummary& summary = note.summary;
  return from.take(note.database) && from.take(note.started_ns) && from.take(summary.launches) &&
         from.take(summary.files_unchanged) && from.take(summary.truncated) &&
         from.take(summary.problems) && from.take(summary.unplanned) && from.take(note.paths) &&
         from.take(note.states) && from.is_at_end() && note.paths.size() == note.states.size();
}

}  // namespace

std::optional<DatabaseMark> mark_of(const fs::path& database) {
  const FileState state = state_of(AT_FDCWD, database.c_str());
  if (!state.exists() || fs::exists(database.string() + "-journal")) return std::nullopt;
  DatabaseMark mark{kVersion, schema_version(), state.size, state.inode};
  unsigned char count[4] = {};
  std::ifstream file(database, std::ios::binary);
  file.seekg(kChangeCounter);
  if (!file.read(reinterpret_cast<char*>(count), sizeof count)) return std::nullopt;
  for (const unsigned char byte : count) mark.changes = mark.changes << 8 | byte;
  return mark;
}

fs::path note_of(const fs::path& database) {
  return database.string() + "-seen";
}

std::optional<CollectNote> read_note(const fs::path& database) {
  const std::optional<DatabaseMark> mark = mark_of(database);
  if (!mark) return std::nullopt;
  std::string bytes;
  try {
    bytes = base::read_file(note_of(database));
  } catch (const base::RunError&) {
    return std::nullopt;
  }
  Unpacker from(bytes);
  CollectNote note;
  if (!take(from, note) || mark != note.database) return std::nullopt;
  return note;
}

std::int64_t begin_note(const fs::path& database) {
  const fs::path file = note_of(database);
  base::write_file_atomically(file, "");
  return state_of(AT_FDCWD, file.c_str()).mtime_ns;
}

void write_note(const fs::path& database, CollectNote& note) {
  const std::optional<DatabaseMark> mark = mark_of(database);
  if (!mark) return;  // somebody else writes it
  note.database = *mark;
  const IngestSummary& summary = note.summary;
  Packer to;
  to.put(note.database);
  to.put(note.started_ns);
  to.put(summary.launches);
  to.put(summary.files_unchanged);
  to.put(summary.truncated);
  to.put(summary.problems);
  to.put(summary.unplanned);
  to.put(note.paths);
  to.put(note.states);
  try {
    base::write_file_atomically(note_of(database), to.bytes());
  } catch (const base::RunError&) {  // the next collect reads the files again
  }
}

}  // namespace dlscale::analysis
