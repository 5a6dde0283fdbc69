// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/cleaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
using runner::JobState;
namespace {

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::directory;
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// Collector of the files to delete in a plan folder. It does not follow links.
class Finder {
 public:
  Finder(const contract::PlanDir& folder, const CleanChoice& choice)
      : folder_(folder), choice_(choice) {}

  void add(FileKind kind, const fs::path& path) {
    if (!choice_.kinds.contains(kind) || !is_there(path)) return;
    targets_.push_back({kind, path, size_of(path), fs::is_symlink(path)});
  }

  void add_run(const std::string& run_id) {
    const contract::RunDir run = folder_.run(run_id);
    const JobState state = choice_.states.at(run_id);
    if (!runner::has_ended(state) || !is_folder(run.root())) return;
    const bool done = state == JobState::Done;
    const FileKind whole = done ? FileKind::results : FileKind::launches;
    // The launches of a preempted run are needed to resume it.
    if (state == JobState::Preempted && !choice_.states_chosen) return;
    for (const contract::LaunchDir& launch : run.launches()) {
      if (choice_.kinds.contains(whole)) {
        add(whole, launch.root());
      } else if ((done || choice_.states_chosen) && is_folder(launch.root())) {
        add(FileKind::checkpoints, launch.checkpoint());
      }
    }
  }

  void add_output(const std::string& run_id) {
    add(FileKind::logs, folder_.run_out(run_id));
    add(FileKind::logs, folder_.run_err(run_id));
  }

  void add_output(const contract::PlannedJob& job) {
    const bool over =
        std::all_of(job.run_ids.begin(), job.run_ids.end(), [&](const std::string& id) {
          return choice_.runs.contains(id) && runner::has_ended(choice_.states.at(id));
        });
    const bool is_run = std::find(job.run_ids.begin(), job.run_ids.end(), job.name) !=
                        job.run_ids.end();  // the output belongs to the run and not to the job
    if (!over || is_run) return;
    add(FileKind::logs, folder_.job_out(job.name));
    add(FileKind::logs, folder_.job_err(job.name));
  }

  std::vector<CleanTarget> release_targets() { return std::move(targets_); }

 private:
  const contract::PlanDir& folder_;
  const CleanChoice& choice_;
  std::vector<CleanTarget> targets_;
};

void remove_all(const std::vector<CleanTarget>& targets) {
  std::size_t left = 0;
  std::string first_problem;
  for (const CleanTarget& target : targets) {
    std::error_code error;
    fs::remove_all(target.path, error);
    if (!error) continue;
    if (left++ == 0) first_problem = target.path.string() + ": " + error.message();
  }
  if (left == 0) return;
  throw base::RunError(
      fmt::format("{} of {} paths could not be deleted: {}", left, targets.size(), first_problem));
}

/// Returns whether a launcher may resume from the target. Such targets are deleted only while the
/// launch log is locked, so that no launcher resumes from them in the meantime.
bool may_be_gone_on_from(const CleanTarget& target, const CleanChoice& choice) {
  return target.kind == FileKind::launches ||
         (target.kind == FileKind::checkpoints && choice.states_chosen);
}

}  // namespace

std::vector<TargetsOfKind> by_kind(const std::vector<CleanTarget>& targets) {
  std::vector<TargetsOfKind> groups;
  for (const FileKindRow& row : file_kinds()) {
    TargetsOfKind group{row.name, {}, {}};
    for (const CleanTarget& target : targets) {
      if (target.kind != row.kind) continue;
      group.targets.push_back(&target);
      group.size += target.size;
    }
    if (!group.targets.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<std::string> cleanable_names() {
  std::vector<std::string> names;
  for (const FileKindRow& row : file_kinds()) {
    if (row.cleanable) names.emplace_back(row.name);
  }
  return names;
}

std::set<FileKind> cleanable_kinds(const std::vector<std::string>& words) {
  std::set<FileKind> kinds;
  for (const std::string& word : words) {
    const auto& all = file_kinds();
    const auto found = std::find_if(all.begin(), all.end(), [&](const FileKindRow& row) {
      return row.cleanable && row.name == word;
    });
    if (found == all.end()) {
      throw base::UsageError(base::unknown_name("kind of files", word, cleanable_names()));
    }
    kinds.insert(found->kind);
  }
  return kinds;
}

std::vector<CleanTarget> clean_targets(const contract::Plan& plan, const contract::PlanDir& folder,
                                       const CleanChoice& choice) {
  Finder finder(folder, choice);
  if (is_folder(folder.runs())) {
    for (const contract::PlannedRun& run : plan.runs) {
      if (choice.runs.contains(run.run_id)) finder.add_run(run.run_id);
    }
  }
  if (is_folder(folder.logs())) {
    for (const contract::PlannedRun& run : plan.runs) {
      const bool over = runner::has_ended(choice.states.at(run.run_id));
      if (choice.runs.contains(run.run_id) && over) finder.add_output(run.run_id);
    }
    for (const contract::PlannedJob& job : plan.jobs) finder.add_output(job);
  }
  finder.add(FileKind::tables, folder.tables());
  finder.add(FileKind::figures, folder.figures());
  for (const char* ending : {"", "-journal", "-lock", "-new", "-seen"}) {
    finder.add(FileKind::database, folder.database().string() + ending);
  }
  return finder.release_targets();
}

void delete_targets(const std::vector<CleanTarget>& targets, const CleanChoice& choice,
                    const contract::PlanDir& folder) {
  const base::SystemClock clock;
  std::optional<runner::LaunchLog> lock;
  const bool wants_lock = std::any_of(targets.begin(), targets.end(), [&](const auto& target) {
    return may_be_gone_on_from(target, choice);
  });
  if (wants_lock) lock.emplace(folder.launch_log(), clock);
  remove_all(targets);
}

}  // namespace dlscale::workspace
