// SPDX-License-Identifier: Apache-2.0
// Which runs and launches a plan folder holds.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/store/seen_files.hpp"
#include "contract/run_dir.hpp"

namespace dlscale::analysis {

class FolderWalk {
 public:
  /// Both must outlive it.
  FolderWalk(const contract::PlanDir& folder, SeenFiles& seen);

  /// Of a file in the plan folder, the path from there.
  std::string relative(const std::filesystem::path& file) const {
    return file.native().substr(root_length_);  // it was made of the folder's path
  }
  /// Names of the folders of runs, sorted.
  std::vector<std::string> run_ids();
  /// Numbers of a run's launches, in order. A folder in which no name came or went since the
  /// collect before is not listed again.
  std::vector<int> launches_of(const std::string& run_id);

 private:
  const contract::PlanDir& folder_;
  SeenFiles& seen_;
  const std::size_t root_length_;  ///< of the folder's path, with its last slash
  std::unordered_map<std::string, std::vector<int>> before_;  ///< launches, by run
};

}  // namespace dlscale::analysis
