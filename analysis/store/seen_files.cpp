// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/seen_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>
#include <type_traits>

#include "analysis/store/schema.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/parallel_for.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// Coarsest clock of a file system in use (FAT); others tick once a second (NFS on ext3) or
/// oftener.
constexpr std::int64_t kTick_ns = 2'000'000'000;
constexpr std::int64_t kNoFile = -2;  ///< but a pipe, a socket or a device
constexpr base::LoopLimits kLookers{.most_threads = 8, .chunk = 2000};  ///< files worth a thread

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

FileState state_of(int folder, const char* path) {
  struct stat status {};
  if (::fstatat(folder, path, &status, 0) != 0) return {};
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return {.size = kNoFile};
  return {status.st_size, nanoseconds(status.st_mtim), nanoseconds(status.st_ctim), status.st_ino};
}

std::vector<FileState> states_of(int folder, const std::vector<const char*>& paths) {
  std::vector<FileState> states(paths.size());
  base::parallel_for(
      paths.size(), [&](std::size_t i) { states[i] = state_of(folder, paths[i]); }, kLookers);
  return states;
}

bool is_certain(const FileState& state, std::int64_t looked_ns) {
  return !state.exists() || std::max(state.mtime_ns, state.ctime_ns) < looked_ns - kTick_ns;
}

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

SeenFiles::SeenFiles(const contract::PlanDir& folder)
    : root_(::open(folder.root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      database_(folder.database()),
      before_(read_note(database_)) {
  if (!before_) return;
  std::vector<const char*> paths;
  paths.reserve(before_->paths.size());
  for (const std::string& path : before_->paths) paths.push_back(path.c_str());
  now_ = states_of(root_, paths);
}

SeenFiles::~SeenFiles() {
  if (root_ >= 0) ::close(root_);
}

bool SeenFiles::is_as_before(std::size_t i) const {
  return now_[i] == before_->states[i] && is_certain(now_[i], before_->started_ns);
}

std::optional<IngestSummary> SeenFiles::unchanged_summary() const {
  if (!before_) return std::nullopt;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    if (!is_as_before(i)) return std::nullopt;
  }
  return before_->summary;
}

void SeenFiles::forget() {
  before_.reset();
  now_.clear();
  places_.clear();
}

void SeenFiles::forget_unless_current() {
  if (before_ && mark_of(database_) != before_->database) forget();
}

const FileState* SeenFiles::as_before(const std::string& path) const {
  std::call_once(placed_, [&] {
    for (std::size_t i = 0; i < now_.size(); ++i) places_.emplace(before_->paths[i], i);
  });
  const auto place = places_.find(path);
  const bool same = place != places_.end() && is_as_before(place->second);
  return same ? &now_[place->second] : nullptr;
}

SeenFiles::Sight SeenFiles::peek(const std::string& path) const {
  const FileState* const same = as_before(path);
  // What has changed once may change again before it is read: it is looked at once more.
  return {same != nullptr ? *same : state_of(root_, path.c_str()), same != nullptr};
}

const FileState& SeenFiles::keep(const std::string& path, const FileState& state) {
  const auto [kept, is_new] = looked_.try_emplace(path, state);
  if (is_new) order_.push_back(&*kept);
  return kept->second;
}

const FileState& SeenFiles::look(const std::string& path) {
  const auto known = looked_.find(path);
  return known != looked_.end() ? known->second : keep(path, peek(path).state);
}

bool SeenFiles::is_unchanged(const std::string& path) {
  look(path);
  return as_before(path) != nullptr;
}

void SeenFiles::distrust(const std::string& path) {
  look(path);
  looked_[path].ctime_ns = -1;  // which no file has
}

CollectNote SeenFiles::note(std::int64_t started_ns, IngestSummary summary) {
  CollectNote note{.started_ns = started_ns, .summary = std::move(summary)};
  note.paths.reserve(order_.size());
  note.states.reserve(order_.size());
  for (const auto* const looked : order_) {
    note.paths.push_back(looked->first);
    note.states.push_back(looked->second);
  }
  return note;
}

}  // namespace dlscale::analysis
