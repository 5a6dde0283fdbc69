// SPDX-License-Identifier: Apache-2.0
// Which runs and launches a plan folder holds.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/store/sources.hpp"
#include "contract/plan/run_dir.hpp"

namespace dlscale::analysis {

/// A file or folder as it was before it was read.
struct FoundFile {
  std::string name = {};  ///< from the plan folder
  FileState state = {};
  bool unchanged = false;  ///< since the collect before looked
};

struct FoundLaunch {
  int number = 1;
  FoundFile log;  ///< without a name where nobody asked for it
};

struct FoundRun {
  std::string run_id;
  FoundFile description, folder;
  std::vector<FoundLaunch> launches;  ///< by ascending number
};

/// A run, and what the file in its launches' folders is called that is to be found; empty: none.
struct WantedRun {
  std::string run_id;
  std::string log;
};

class FolderWalk {
 public:
  /// Both must outlive it.
  FolderWalk(const contract::PlanDir& folder, Sources& sources);

  /// Of a file in the plan folder, the path from there.
  std::string relative(const std::filesystem::path& file) const {
    return file.native().substr(root_length_);  // it was made of the folder's path
  }
  /// Names of the folders of runs, sorted.
  std::vector<std::string> run_ids();
  /// What there is of runs, in their order; whoever takes it has the sources keep it. A folder in
  /// which no name came or went since the collect before is not listed again. On all cores: over a
  /// network each question is a wait.
  std::vector<FoundRun> find(const std::vector<WantedRun>& runs) const;

 private:
  FoundRun find(const WantedRun& wanted) const;
  FoundFile peek(const std::filesystem::path& path) const;
  std::vector<int> launches_of(const contract::RunDir& run, const FoundRun& found) const;

  const contract::PlanDir& folder_;
  Sources& sources_;
  const std::size_t root_length_;  ///< of the folder's path, with its last slash
  std::unordered_map<std::string, std::vector<int>> before_;  ///< launches, by run
};

}  // namespace dlscale::analysis
