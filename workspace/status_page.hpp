// SPDX-License-Identifier: Apache-2.0
// Writes the state and the first results of a study to an HTML page, for `dlscale status --page`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/page/live_page.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::workspace {

/// HTML page of a study in a folder.
class StatusPage {
 public:
  /// Creates the folder of the page if it does not exist. `refresh_s` is the number of seconds
  /// after which a browser loads the page again. Throws base::UsageError if the folder
  /// - is a file or cannot be written,
  /// - belongs to the files of the plan in `plan_folder`, or
  /// - contains an index.html that StatusPage did not write.
  StatusPage(const std::filesystem::path& folder, const contract::PlanDir& plan_folder,
             int refresh_s);

  /// Replaces the page. A reader sees either the old or the new page. `runs` are the runs that the
  /// page shows, and their progress must have been added. If a run has ended since the last call,
  /// the results are read again, and new records are added to the database of the plan folder.
  /// Throws base::RunError if the page cannot be written.
  void write(const FolderStatus& status, const std::vector<ShownRun>& runs);

  const std::filesystem::path& file() const { return file_; }

 private:
  void read_results(const contract::Plan& plan, const std::vector<ShownRun>& runs);

  const contract::PlanDir plan_folder_;
  const std::filesystem::path file_;
  const int refresh_s_;
  std::vector<std::string> known_ends_;  ///< ends of runs whose results were read
  analysis::StudyPage results_;
  std::string no_results_;  ///< reason why there are no results
};

}  // namespace dlscale::workspace
