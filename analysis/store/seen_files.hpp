// SPDX-License-Identifier: Apache-2.0
// What a collect looks at, and whether it is as the collect before left it.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/store/collect_note.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

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
