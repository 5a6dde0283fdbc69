// SPDX-License-Identifier: Apache-2.0
// Writes the state and the first results of a study to an HTML page, for `dlscale status --page`.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/page/live_page.hpp"
#include "workspace/status/ended_runs.hpp"
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
  /// page shows, and their progress must have been added. If EndedRuns::update() finds a change
  /// since the last call, the results are read again, and new records are added to the database of
  /// the plan folder. Throws base::RunError if the page cannot be written.
  void write(const FolderStatus& status, const std::vector<ShownRun>& runs);

  /// Returns an empty text if the last call of write() could read the results, and if the logs of
  /// all completed runs had content. Otherwise, returns sentences about the problem without the
  /// last period. On a network file system, a log may appear some time after the end of its run.
  std::string missing_results() const;

  const std::filesystem::path& file() const { return file_; }

 private:
  /// Reads the results of the runs. Returns true if the results could be read.
  bool read_results(const contract::Plan& plan, const std::vector<ShownRun>& runs);

  const contract::PlanDir plan_folder_;
  const std::filesystem::path file_;
  const int refresh_s_;
  EndedRuns ends_;                        ///< ends of runs whose results were read
  bool no_problem_ = true;                ///< true if the results of ends_ could be read
  std::vector<std::string> without_log_;  ///< completed runs whose log has no content
  analysis::StudyPage results_;
  std::string no_results_;  ///< reason why there are no results
};

}  // namespace dlscale::workspace
