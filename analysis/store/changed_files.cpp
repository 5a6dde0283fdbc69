// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/changed_files.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <set>
#include <utility>

#include "analysis/import/imported_plan.hpp"
#include "analysis/store/sources.hpp"
#include "analysis/store/sqlite_rows.hpp"
#include "analysis/store/store.hpp"
#include "base/file.hpp"
#include "base/parallel_for.hpp"
#include "contract/run_spec/run_id.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

/// File or folder that the last collect checked.
struct CheckedPath {
  std::string path;
  std::int64_t size = 0, mtime_ns = 0;
  std::string sha256;                     ///< empty if the database has no content of the file
  std::vector<std::string> changed = {};  ///< paths that changed since
};

using Launches = std::set<std::pair<std::string, int>>;  ///< run id and number

/// Adds the launches in the folder of a run that the database lacks.
void find_new_launches(const contract::PlanDir& folder, const Launches& known,
                       CheckedPath& checked) {
  const fs::path run = folder.root() / checked.path;
  for (const contract::LaunchDir& launch : contract::RunDir(run).launches()) {
    if (known.contains({run.filename().string(), launch.number()})) continue;
    checked.changed.push_back(launch.root().lexically_relative(folder.root()).string());
  }
}

/// Returns true if the format of the study has the same size, but another content.
bool is_other_format(const contract::PlanDir& folder, const CheckedPath& checked) {
  const fs::path file = folder.log_format_toml();
  return checked.path == file.filename() && !checked.sha256.empty() &&
         contract::sha256_hex(base::read_file(file)) != checked.sha256;
}

void check_path(const contract::PlanDir& folder, const Launches& known, CheckedPath& checked) {
  const fs::path path = folder.root() / checked.path;
  const FileState now = state_of(AT_FDCWD, path.c_str());
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (now.size != checked.size || is_other_format(folder, checked)) {
      checked.changed.push_back(checked.path);
    }
  } else if (now.mtime_ns != checked.mtime_ns) {
    find_new_launches(folder, known, checked);
  }
}

}  // namespace

std::vector<std::string> files_changed_since_collect(const contract::PlanDir& folder) {
  std::vector<CheckedPath> checked;
  Launches launches;
  Store store(folder.database(), Store::Access::Read);
  store.with([&](SQLite::Database& database) {
    SQLite::Statement imported(database, "SELECT 1 FROM study WHERE scheduler = ?");
    imported.bind(1, kImportedScheduler);
    if (imported.executeStep()) return;
    SQLite::Statement paths(database, "SELECT path, size, mtime_ns, sha256 FROM source");
    while (paths.executeStep()) {
      checked.push_back({paths.getColumn(0).getString(), paths.getColumn(1).getInt64(),
                         paths.getColumn(2).getInt64(), text_or_empty(paths.getColumn(3))});
    }
    SQLite::Statement known(database, "SELECT run_id, launch FROM launch");
    while (known.executeStep()) {
      launches.emplace(known.getColumn(0).getString(), known.getColumn(1).getInt());
    }
  });
  // On a network file system, each check waits for the network.
  base::parallel_for(checked.size(),
                     [&](std::size_t i) { check_path(folder, launches, checked[i]); },
                     {.most_threads = 8, .chunk = 2000});
  std::vector<std::string> changed;
  for (const CheckedPath& one : checked) {
    changed.insert(changed.end(), one.changed.begin(), one.changed.end());
  }
  std::sort(changed.begin(), changed.end());
  return changed;
}

}  // namespace dlscale::analysis
