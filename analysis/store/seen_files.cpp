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

const FileState& SeenFiles::look(const std::string& path) {
  if (places_.empty() && before_) {
    for (std::size_t i = 0; i < now_.size(); ++i) places_.emplace(before_->paths[i], i);
  }
  const auto [known, is_new] = looked_.try_emplace(path);
  if (!is_new) return known->second;
  const auto place = places_.find(path);
  // What has changed once may change again before it is read: it is looked at once more.
  order_.push_back(&*known);
  const bool as_before = place != places_.end() && is_as_before(place->second);
  known->second = as_before ? now_[place->second] : state_of(root_, path.c_str());
  return known->second;
}

bool SeenFiles::is_unchanged(const std::string& path) {
  look(path);
  const auto place = places_.find(path);
  return place != places_.end() && is_as_before(place->second);
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
