// SPDX-License-Identifier: Apache-2.0
// Finds out whether runs have ended, or logs of ended runs have changed, since the last update.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "contract/plan/run_dir.hpp"
#include "workspace/runs/run_columns.hpp"

namespace dlscale::workspace {

/// Run that has ended, and the log of its last launch. The log is the file from which the results
/// of the run are read.
struct EndedRun {
  std::string run_id;
  runner::JobState state = runner::JobState::Done;
  std::uintmax_t log_bytes = 0;                 ///< 0 if the log does not exist
  std::filesystem::file_time_type log_changed;  ///< time of the last change of the log
  bool writes_records = true;                   ///< true if the log is results.jsonl
  double seen_s = 0;      ///< time at which this state and this log were first seen
  double examined_s = 0;  ///< time at which the log was last examined
  /// Compares everything except the two times.
  bool operator==(const EndedRun& other) const;
};

/// Ended runs of a plan folder. On a network file system, the log of a run may appear or grow some
/// time after the end of the run, so the logs are examined again. With thousands of runs this takes
/// long. The examination of a log therefore ends when two examinations that are more than
/// kSettled_s apart found the same log.
class EndedRuns {
 public:
  static constexpr double kSettled_s = 300;

  explicit EndedRuns(const contract::PlanDir& folder) : folder_(folder) {}

  /// Examines the runs. `now_s` is the time in seconds of a clock. Returns true if a run has ended
  /// or started again, or if an examined log has changed, since the last call.
  bool update(const std::vector<ShownRun>& runs, double now_s);

  /// Returns the ids of completed runs that should have a log, but whose log is missing or empty.
  /// The user's own program need not write results.jsonl. Such a program should have written this
  /// file only if one of the completed runs has the file.
  std::vector<std::string> without_log() const;

  const std::vector<EndedRun>& all() const { return ends_; }

 private:
  const contract::PlanDir folder_;
  std::vector<EndedRun> ends_;
};

}  // namespace dlscale::workspace
