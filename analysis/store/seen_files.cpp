// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/seen_files.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace dlscale::analysis {

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
