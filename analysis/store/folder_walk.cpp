// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/folder_walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace dlscale::analysis {
namespace fs = std::filesystem;

FolderWalk::FolderWalk(const contract::PlanDir& folder, SeenFiles& seen)
    : folder_(folder), seen_(seen), root_length_((folder.root() / "").native().size()) {
  if (!seen.before()) return;
  // The collect before looked at "runs/<run_id>/launch-<k>/<a file>" of each launch.
  constexpr std::string_view kRuns = "runs/", kLaunch = "/launch-";
  for (const std::string& path : seen.before()->paths) {
    if (!path.starts_with(kRuns)) continue;
    const std::size_t end = path.find('/', kRuns.size());
    if (end == path.npos || path.compare(end, kLaunch.size(), kLaunch) != 0) continue;
    const int number = std::atoi(path.c_str() + end + kLaunch.size());
    before_[path.substr(kRuns.size(), end - kRuns.size())].push_back(number);
  }
}

std::vector<std::string> FolderWalk::run_ids() {
  seen_.look(relative(folder_.runs()));
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_.runs(), ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<int> FolderWalk::launches_of(const std::string& run_id) {
  const contract::RunDir run = folder_.run(run_id);
  if (seen_.is_unchanged(relative(run.root()))) return before_[run_id];
  std::vector<int> numbers;
  for (const contract::LaunchDir& launch : run.launches()) numbers.push_back(launch.number());
  return numbers;
}

}  // namespace dlscale::analysis
