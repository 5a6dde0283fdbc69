// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/folder_walk.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/parallel_for.hpp"

namespace dlscale::analysis {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kRunsOfBlock = 32;  ///< number of runs that a thread checks at a time

}  // namespace

FolderWalk::FolderWalk(const contract::PlanDir& folder, Sources& sources)
    : folder_(folder), sources_(sources), root_length_((folder.root() / "").native().size()) {
  // The previous collect checked a path "runs/<run_id>/launch-<k>/<a file>" for each launch, so its
  // paths contain the launch numbers of each run.
  constexpr std::string_view kRuns = "runs/", kLaunch = "/launch-";
  for (const std::string& path : sources.paths_before()) {
    if (!path.starts_with(kRuns)) continue;
    const std::size_t end = path.find('/', kRuns.size());
    if (end == path.npos || path.compare(end, kLaunch.size(), kLaunch) != 0) continue;
    const int number = std::atoi(path.c_str() + end + kLaunch.size());
    before_[path.substr(kRuns.size(), end - kRuns.size())].push_back(number);
  }
}

std::vector<std::string> FolderWalk::run_ids() {
  sources_.look(relative(folder_.runs()));
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder_.runs(), ignored)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<FoundRun> FolderWalk::find(const std::vector<WantedRun>& runs) const {
  std::vector<FoundRun> found(runs.size());
  base::parallel_for(runs.size(), [&](std::size_t i) { found[i] = find(runs[i]); },
                     {.chunk = kRunsOfBlock});
  return found;
}

FoundRun FolderWalk::find(const WantedRun& wanted) const {
  const contract::RunDir run = folder_.run(wanted.run_id);
  FoundRun found{wanted.run_id, peek(run.run_json()), peek(run.root()), {}};
  for (const int number : launches_of(run, found)) {
    found.launches.push_back({number, {}});
    if (wanted.log.empty()) continue;
    found.launches.back().log = peek(run.launch(number).root() / wanted.log);
  }
  return found;
}

FoundFile FolderWalk::peek(const fs::path& path) const {
  FoundFile file{relative(path)};
  const Sources::Sight sight = sources_.peek(file.name);
  file.state = sight.state;
  file.unchanged = sight.unchanged;
  return file;
}

std::vector<int> FolderWalk::launches_of(const contract::RunDir& run, const FoundRun& found) const {
  if (found.folder.unchanged) {
    const auto known = before_.find(found.run_id);
    return known == before_.end() ? std::vector<int>() : known->second;
  }
  std::vector<int> numbers;
  if (!found.folder.state.exists()) return numbers;
  for (const contract::LaunchDir& launch : run.launches()) numbers.push_back(launch.number());
  return numbers;
}

}  // namespace dlscale::analysis
