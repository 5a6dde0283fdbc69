// SPDX-License-Identifier: Apache-2.0
// Writes the state and the first results of a study to an HTML page, for `dlscale status --page`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/report/page/live_page.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::workspace {

/// Run that has ended, and the log of its last launch. The log is the file from which the results
/// of the run are read.
struct EndedRun {
  std::string run_id;
  runner::JobState state = runner::JobState::Done;
  std::uintmax_t log_bytes = 0;                 ///< 0 if the log does not exist
  std::filesystem::file_time_type log_changed;  ///< time of the last change of the log
  bool operator==(const EndedRun&) const = default;
};

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
  /// or if the log of an ended run has changed, the results are read again, and new records are
  /// added to the database of the plan folder. Throws base::RunError if the page cannot be written.
  void write(const FolderStatus& status, const std::vector<ShownRun>& runs);

  /// Returns true if the last call of write() could read the results, and if the log of each
  /// completed run had content. On a network file system, the log may appear some time after the
  /// end of the run.
  bool has_all_results() const { return no_problem_ && !lacks_logs_; }

  const std::filesystem::path& file() const { return file_; }

 private:
  /// Reads the results of the runs. Returns true if the results could be read.
  bool read_results(const contract::Plan& plan, const std::vector<ShownRun>& runs);

  const contract::PlanDir plan_folder_;
  const std::filesystem::path file_;
  const int refresh_s_;
  std::vector<EndedRun> known_ends_;  ///< ends of runs whose results were read
  bool no_problem_ = true;            ///< true if the results of known_ends_ could be read
  bool lacks_logs_ = false;           ///< true if the log of a completed run has no content
  analysis::StudyPage results_;
  std::string no_results_;  ///< reason why there are no results
};

}  // namespace dlscale::workspace
