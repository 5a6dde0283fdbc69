// SPDX-License-Identifier: Apache-2.0
#include "workspace/runs/inventory.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

Size size_of_one(const fs::path& path) {
  constexpr std::uint64_t kBlock = 512;  // unit of st_blocks in bytes on all systems
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  return {1, static_cast<std::uint64_t>(status.st_blocks) * kBlock};
}

/// Calls `visit` for every file and folder below a folder. Skips entries that cannot be read.
template <class Visit>
void walk(const fs::path& folder, const Visit& visit) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied,
                                         error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    visit(entry->path());
  }
}

bool is_output(const fs::path& name) {
  return name.extension() == ".out" || name.extension() == ".err";
}

/// Returns the kind of the file at `path`, which is relative to the plan folder.
FileKind kind_of(const fs::path& path, const contract::PlanDir& here,
                 const runner::States& states) {
  const std::vector<fs::path> parts(path.begin(), path.end());
  const auto under = [&](const fs::path& folder) { return parts[0] == folder; };
  if (under(here.runs())) {
    if (parts.size() < 3 || contract::LaunchDir(parts[2]).number() == 0) return FileKind::plan;
    if (parts.size() > 3 && parts[3] == contract::LaunchDir({}).checkpoint()) {
      return FileKind::checkpoints;
    }
    const auto found = states.find(parts[1].string());
    const bool done = found != states.end() && found->second == runner::JobState::Done;
    return done ? FileKind::results : FileKind::launches;
  }
  if (under(here.logs())) return is_output(path) ? FileKind::logs : FileKind::plan;
  if (under(here.tables())) return FileKind::tables;
  if (under(here.figures())) return FileKind::figures;
  if (parts[0].native().starts_with(here.database().native())) return FileKind::database;
  const fs::path own[] = {here.jobs(),       here.plan_json(),          here.study_toml(),
                          here.site_toml(),  here.fingerprint(),        here.incomplete_marker(),
                          here.launch_log(), here.inherited_variables()};
  return std::any_of(std::begin(own), std::end(own), under) ? FileKind::plan : FileKind::other;
}

}  // namespace

Size size_of(const fs::path& path) {
  Size size = size_of_one(path);
  std::error_code ignored;
  if (fs::is_directory(fs::symlink_status(path, ignored))) {
    walk(path, [&](const fs::path& inner) { size += size_of_one(inner); });
  }
  return size;
}

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
      {FileKind::checkpoints, "checkpoints", "states from which runs resume", true},
      {FileKind::launches, "launches", "records and output of runs that did not complete", true},
      {FileKind::results, "results", "records and output of completed runs", true},
      {FileKind::logs, "logs", "output of jobs, captured by the batch system", true},
      {FileKind::tables, "tables", "written by collect", true},
      {FileKind::figures, "figures", "written by collect, run and plot", true},
      {FileKind::database, "database", "results.sqlite, written by collect", true},
      {FileKind::plan, "plan", "descriptions, scripts, log of launches", false},
      {FileKind::other, "other", "not written by dlscale", false},
  };
  return kinds;
}

std::vector<Size> inventory(const contract::PlanDir& folder, const runner::States& states) {
  const contract::PlanDir here{fs::path()};
  std::vector<Size> sizes(file_kinds().size());
  const fs::path root = folder.root() / "";
  walk(folder.root(), [&](const fs::path& path) {
    const FileKind kind = kind_of(path.lexically_relative(root), here, states);
    sizes[static_cast<std::size_t>(kind)] += size_of_one(path);
  });
  return sizes;
}

}  // namespace dlscale::workspace
