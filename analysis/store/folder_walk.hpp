// SPDX-License-Identifier: Apache-2.0
// Finds the runs and launches that a plan folder contains.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/store/sources.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// State of a file or folder, taken before the file is read.
struct FoundFile {
  std::string name = {};  ///< path relative to the plan folder
  FileState state = {};
  bool unchanged = false;  ///< true if unchanged since the previous collect
};

struct FoundLaunch {
  int number = 1;
  FoundFile log;  ///< results file of the launch; without a name if not requested
};

struct FoundRun {
  std::string run_id;
  FoundFile description, folder;
  std::vector<FoundLaunch> launches;  ///< launches by ascending number
};

/// Run to find. `log` is the name of the file to find in the folders of its launches. An empty
/// `log` requests no file.
struct WantedRun {
  std::string run_id;
  std::string log;
};

class FolderWalk {
 public:
  /// Keeps references to both arguments, which must outlive this object.
  FolderWalk(const contract::PlanDir& folder, Sources& sources);

  /// Returns the path of a file in the plan folder, relative to that folder.
  std::string relative(const std::filesystem::path& file) const {
    return file.native().substr(root_length_);  // the path of `file` begins with the folder's path
  }
  /// Returns the names of the run folders, sorted.
  std::vector<std::string> run_ids();
  /// Returns the states of the files of each run, in the order of `runs`. The caller must pass the
  /// states that it uses to Sources::keep. A folder whose list of names is unchanged since the
  /// previous collect is not listed again. The search uses all cores, because each check waits for
  /// the network on a network file system.
  std::vector<FoundRun> find(const std::vector<WantedRun>& runs) const;

 private:
  FoundRun find(const WantedRun& wanted) const;
  FoundFile peek(const std::filesystem::path& path) const;
  std::vector<int> launches_of(const contract::RunDir& run, const FoundRun& found) const;

  const contract::PlanDir& folder_;
  Sources& sources_;
  const std::size_t root_length_;  ///< length of the folder's path with its last slash
  std::unordered_map<std::string, std::vector<int>> before_;  ///< earlier launches, by run
};

}  // namespace dlscale::analysis
