// SPDX-License-Identifier: Apache-2.0
#include "cli/inventory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace dlscale::cli {
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

Size size_of_one(const fs::path& path) {
  constexpr std::uint64_t kBlock = 512;  // of st_blocks, everywhere
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  return {1, static_cast<std::uint64_t>(status.st_blocks) * kBlock};
}

/// Calls `take` with everything below a folder; what cannot be read is passed over.
template <class Take>
void walk(const fs::path& folder, const Take& take) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    take(entry->path());
  }
}

Size size_of(const fs::path& path) {
  Size size = size_of_one(path);
  if (is_folder(path)) walk(path, [&](const fs::path& inner) { size += size_of_one(inner); });
  return size;
}

bool is_output(const fs::path& name) {
  return name.extension() == ".out" || name.extension() == ".err";
}

/// Of a path relative to the plan folder.
FileKind kind_of(const fs::path& path, const contract::PlanDir& here, const IsDone& is_done) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  const auto under = [&](const fs::path& folder) { return parts[0] == folder; };
  if (under(here.runs())) {
    if (parts.size() < 3 || contract::LaunchDir(parts[2]).number() == 0) return FileKind::plan;
    if (parts.size() > 3 && parts[3] == contract::LaunchDir({}).checkpoint()) {
      return FileKind::checkpoints;
    }
    return is_done(parts[1]) ? FileKind::results : FileKind::launches;
  }
  if (under(here.logs())) return is_output(path) ? FileKind::logs : FileKind::plan;
  if (under(here.tables())) return FileKind::tables;
  if (under(here.figures())) return FileKind::figures;
  if (parts[0].native().starts_with(here.database().native())) return FileKind::database;
  const fs::path own[] = {here.jobs(), here.plan_json(),  here.study_toml(), here.site_toml(),
                          here.seal(), here.write_mark(), here.launch_log()};
  return std::any_of(std::begin(own), std::end(own), under) ? FileKind::plan : FileKind::other;
}

/// Finds targets, each in its place below the folder and reached through no link.
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
    const JobState state = choice_.state_of(run_id);
    if (!runner::has_ended(state) || !is_folder(run.root())) return;
    const bool done = state == JobState::Done;
    const FileKind whole = done ? FileKind::results : FileKind::launches;
    if (state == JobState::Preempted && !choice_.states_chosen) return;  // it is to go on
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
          return choice_.runs.contains(id) && runner::has_ended(choice_.state_of(id));
        });
    const bool is_run = std::find(job.run_ids.begin(), job.run_ids.end(), job.name) !=
                        job.run_ids.end();  // its output is the run's
    if (!over || is_run) return;
    add(FileKind::logs, folder_.job_out(job.name));
    add(FileKind::logs, folder_.job_err(job.name));
  }

  std::vector<CleanTarget> take() { return std::move(targets_); }

 private:
  const contract::PlanDir& folder_;
  const CleanChoice& choice_;
  std::vector<CleanTarget> targets_;
};

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  for (; value >= 999.5 && unit + 1 < std::size(kUnits); ++unit) value /= 1000;
  return fmt::format("{:.{}f} {}", value, value < 99.95 ? 1 : 0, kUnits[unit]);
}

const std::vector<FileKindRow>& file_kinds() {
  static const std::vector<FileKindRow> kinds{
      {FileKind::checkpoints, "checkpoints", "what runs go on from", true},
      {FileKind::launches, "launches", "records and output of runs that did not complete", true},
      {FileKind::results, "results", "records and output of runs that are done", true},
      {FileKind::logs, "logs", "what the batch system captured of jobs", true},
      {FileKind::tables, "tables", "made by collect", true},
      {FileKind::figures, "figures", "made by collect, run and plot", true},
      {FileKind::database, "database", "results.sqlite, made by collect", true},
      {FileKind::plan, "plan", "descriptions, scripts, what was launched and how it ended", false},
      {FileKind::other, "other", "not dlscale's", false},
  };
  return kinds;
}

std::vector<Size> inventory(const contract::PlanDir& folder, const IsDone& is_done) {
  const contract::PlanDir here{fs::path()};
  std::vector<Size> sizes(file_kinds().size());
  const fs::path root = folder.root() / "";
  walk(folder.root(), [&](const fs::path& path) {
    const FileKind kind = kind_of(path.lexically_relative(root), here, is_done);
    sizes[static_cast<std::size_t>(kind)] += size_of_one(path);
  });
  return sizes;
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
      const bool over = runner::has_ended(choice.state_of(run.run_id));
      if (choice.runs.contains(run.run_id) && over) finder.add_output(run.run_id);
    }
    for (const contract::PlannedJob& job : plan.jobs) finder.add_output(job);
  }
  finder.add(FileKind::tables, folder.tables());
  finder.add(FileKind::figures, folder.figures());
  for (const char* ending : {"", "-journal", "-lock", "-new", "-seen"}) {
    finder.add(FileKind::database, folder.database().string() + ending);
  }
  return finder.take();
}

}  // namespace dlscale::cli
