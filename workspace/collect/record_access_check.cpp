// SPDX-License-Identifier: Apache-2.0
#include "workspace/collect/record_access_check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "analysis/import/import_record.hpp"
#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Throws base::RunError if `error` is an error other than a missing file. A missing file is not an
/// error, because no record is lost.
void refuse_unreadable(const fs::path& path, const std::error_code& error) {
  if (!error || error == std::errc::no_such_file_or_directory) return;
  throw base::RunError(fmt::format("cannot read {}: {}; the tables need the records of all runs",
                                   path.string(), error.message()));
}

void require_readable(const fs::path& file) {
  if (::access(file.c_str(), R_OK) == 0) return;
  refuse_unreadable(file, std::error_code(errno, std::generic_category()));
}

/// Returns whether `path` is a folder. Throws base::RunError if the system cannot query the path.
bool is_readable_folder(const fs::path& path) {
  std::error_code error;
  const bool is_one = fs::is_directory(path, error);
  refuse_unreadable(path, error);
  return is_one;
}

/// Returns the sorted entries of a folder. A missing folder has no entries.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); entry != fs::directory_iterator();
       entry.increment(error)) {
    entries.push_back(entry->path());
  }
  refuse_unreadable(folder, error);
  std::sort(entries.begin(), entries.end());
  return entries;
}

/// Checks that the imported log of a third-party launch can be read, if the launch has one.
void require_readable_log(const contract::LaunchDir& launch) {
  const fs::path import = analysis::import_json(launch);
  if (::access(import.c_str(), R_OK) != 0) return;
  fs::path log;
  try {
    log = analysis::import_record_from_json(base::read_file(import), import.string()).path;
  } catch (const base::SpecError&) {
    return;  // if the import record is invalid, its run counts as lost
  }
  require_readable(log);
}

/// Checks the files of a run and of its launches. Skips checkpoints, because they contain no
/// results.
void require_readable_run(const fs::path& run) {
  for (const fs::path& entry : entries_of(run)) {
    if (!is_readable_folder(entry)) {
      require_readable(entry);
      continue;
    }
    for (const fs::path& file : entries_of(entry)) {
      if (!is_readable_folder(file)) require_readable(file);
    }
    require_readable_log(contract::LaunchDir(entry));
  }
}

/// Checks the files in a folder whose names end in `ending`.
void require_readable_files(const fs::path& folder, const char* ending) {
  for (const fs::path& file : entries_of(folder)) {
    if (file.extension() == ending) require_readable(file);
  }
}

}  // namespace

void require_readable_records(const contract::PlanDir& folder) {
  entries_of(folder.root());
  for (const fs::path& file : {folder.plan_json(), folder.launch_log(), folder.predictions()}) {
    require_readable(file);
  }
  for (const fs::path& run : entries_of(folder.runs())) {
    if (is_readable_folder(run)) require_readable_run(run);
  }
  require_readable_files(folder.logs(), ".end");
  require_readable_files(folder.jobs(), ".runs");
}

}  // namespace dlscale::workspace
