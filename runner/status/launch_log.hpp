// SPDX-License-Identifier: Apache-2.0
// Writes and reads the launch log of a plan folder, and derives the current state of submissions
// and runs from the log.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/launch_record.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/job_state.hpp"

namespace dlscale::runner {

// Launch log (launch.jsonl) of a plan folder. The log records what happened to each job. Only one
// program at a time may write to the log.

/// Error that is thrown if another program has the launch log open for writing.
class LogTaken : public base::RunError {
 public:
  using base::RunError::RunError;
};

/// Returns whether another program holds the log. Needs no write permission. Returns false if the
/// log cannot be read.
bool is_taken(const std::filesystem::path& log);

class LaunchLog {
 public:
  /// Opens the log for this program alone. The lock lasts until this object is destroyed and all
  /// programs that inherited the descriptor have ended. Throws LogTaken if another program holds
  /// the log, and base::RunError if the log cannot be written.
  LaunchLog(const std::filesystem::path& path, const base::Clock& clock);

  /// Returns all records in order, including those that earlier dlscale processes wrote.
  const std::vector<contract::LaunchRecord>& records() const { return records_; }
  /// Appends the record with the current time and returns the record as written.
  const contract::LaunchRecord& append(contract::LaunchRecord record);
  /// Appends the record like append(), and writes it to disk. A later crash of the machine cannot
  /// lose the record.
  const contract::LaunchRecord& append_safely(contract::LaunchRecord record);
  /// Returns the descriptor of the lock. A process that inherits the descriptor keeps the log
  /// locked until that process ends.
  int descriptor() const { return lock_.descriptor; }

 private:
  struct Lock {
    explicit Lock(const std::filesystem::path& path);
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    int descriptor;
  };

  std::filesystem::path path_;
  Lock lock_;
  const base::Clock& clock_;
  base::LineAppender file_;
  std::vector<contract::LaunchRecord> records_;
};

// Current state of submissions and runs, derived from the records of the launch log.

/// Run within a submission.
struct SubmittedRun {
  std::string run_id;
  JobId id;                  ///< id of the run's array task, or of its whole job; empty until known
  int earlier_launches = 0;  ///< number of the run's last launch before this submission
  bool started = false;
  bool ended = false;
};

/// Job that a launcher submitted to the batch system or was about to submit.
struct Submission {
  std::string launch;
  std::string job;
  double asked_at = 0;  ///< Unix time in s at which the launcher began the submission
  std::vector<SubmittedRun> runs;
  /// Job id. It is empty while it is unknown whether the batch system has the job.
  JobId id;
  bool refused = false;
  bool is_array = false;
  /// Returns whether the submission was rejected or all of its runs have ended.
  bool is_over() const;
  /// Sets the job ids from a "submitted" record.
  void take_ids(const contract::LaunchRecord& record);
};

/// Returns the submission that a "submitting" record begins.
Submission begun_by(const contract::LaunchRecord& record);

/// Last state of a run according to the log.
struct LoggedRun {
  JobState state = JobState::Submitted;
  std::string launch;  ///< token of the last submission
  JobId id;
  int submissions = 0;
  double submitted_at = 0, started_at = 0, ended_at = 0;  ///< Unix times in s, 0 = has not happened
  int exit_code = 0;
  std::string reason;
  std::vector<std::string> nodes;
  double elapsed_s = 0;          ///< duration in s from the accounting, 0 = unknown
  double peak_memory_bytes = 0;  ///< peak memory from the accounting, 0 = unknown
  std::string software;          ///< description of the software at the submission; empty: unknown
};

class LaunchHistory {
 public:
  LaunchHistory() = default;
  explicit LaunchHistory(const std::vector<contract::LaunchRecord>& records);

  void add_record(const contract::LaunchRecord& record);
  /// Returns the submissions in the order of the log.
  const std::vector<Submission>& submissions() const { return submissions_; }
  /// Returns the last state of a run. Returns null if the run was never submitted or if the batch
  /// system rejected its last submission.
  const LoggedRun* last_entry(const std::string& run_id) const;

 private:
  struct Word {
    LoggedRun said;
    std::size_t place = 0;  ///< index of the run in its last submission
  };

  void begin(const contract::LaunchRecord& record);
  void tell(Submission& submission, const contract::LaunchRecord& record);
  void tell_run(SubmittedRun& run, const contract::LaunchRecord& record);
  SubmittedRun* run_in(Submission& submission, const std::string& run_id);

  std::vector<Submission> submissions_;
  std::unordered_map<std::string, std::size_t> by_launch_;
  std::unordered_map<std::string, Word> words_;
};

}  // namespace dlscale::runner
