// SPDX-License-Identifier: Apache-2.0
// Lists the runs and launches that exist in a plan folder.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/store/sources.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// File or folder in a plan folder with its state. The state is taken before the file is read, so
/// that a change during reading is noticed by the next collect.
struct FoundFile {
  std::string name = {};  ///< path relative to the plan folder
  FileState state = {};
  bool unchanged = false;  ///< true if unchanged since the previous collect
};

struct FoundLaunch {
  int number = 1;
  FoundFile log;  ///< results file of the launch; its name is empty if the file was not requested
};

struct FoundRun {
  std::string run_id;
  FoundFile description, folder;
  std::vector<FoundLaunch> launches;  ///< launches by ascending number
};

/// Run that a search looks for. `log` is the name of the results file in each launch folder of the
/// run. An empty `log` requests no results files.
struct WantedRun {
  std::string run_id;
  std::string log;
};

class FolderWalk {
 public:
  /// Creates a walk through the plan folder. `folder` and `sources` must outlive this object.
  FolderWalk(const contract::PlanDir& folder, Sources& sources);

  /// Returns the path of a file in the plan folder, relative to that folder.
  std::string relative(const std::filesystem::path& file) const {
    // The path of `file` begins with the path of the plan folder.
    return file.native().substr(root_length_);
  }
  /// Returns the names of the run folders, sorted.
  std::vector<std::string> run_ids();
  /// Returns the files of each run with their states, in the order of `runs`. The caller must pass
  /// each state that it uses to Sources::keep. A run folder in which no name was added or removed
  /// since the previous collect is not listed again. The search uses all cores, because each check
  /// waits for the network on a network file system.
  std::vector<FoundRun> find(const std::vector<WantedRun>& runs) const;

 private:
  FoundRun find(const WantedRun& wanted) const;
  FoundFile peek(const std::filesystem::path& path) const;
  std::vector<int> launches_of(const contract::RunDir& run, const FoundRun& found) const;

  const contract::PlanDir& folder_;
  Sources& sources_;
  /// Length of the plan folder's path, including a slash at its end.
  const std::size_t root_length_;
  /// Launch numbers found by the previous collect, by run id.
  std::unordered_map<std::string, std::vector<int>> before_;
};

}  // namespace dlscale::analysis
