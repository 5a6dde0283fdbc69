// SPDX-License-Identifier: Apache-2.0
// launch.jsonl of a plan folder: what happened to each job, written by one program at a time, and
// the present state that follows.
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

// launch.jsonl of a plan folder: what happened to each job, written by one program at a time.

/// Another program has the log.
class LogTaken : public base::RunError {
 public:
  using base::RunError::RunError;
};

/// Whether another program has the log, as far as can be seen; no right to write it is needed.
bool is_taken(const std::filesystem::path& log);

class LaunchLog {
 public:
  /// Opens the log for this program alone, until it is destroyed and the programs that were given
  /// its descriptor have ended. Throws LogTaken when another program has it, base::RunError when it
  /// cannot be written.
  LaunchLog(const std::filesystem::path& path, const base::Clock& clock);

  /// Everything written so far, by earlier programs too, in order.
  const std::vector<contract::LaunchRecord>& records() const { return records_; }
  /// Notes the record with the time of now and gives it back so.
  const contract::LaunchRecord& append(contract::LaunchRecord record);
  /// The same; when it returns a failing machine does not lose the record any more.
  const contract::LaunchRecord& append_safely(contract::LaunchRecord record);
  /// A process that inherits it keeps the log locked until it ends.
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

// What the launch log says of submissions and runs, folded into their present state.

/// A run within a submission.
struct SubmittedRun {
  std::string run_id;
  JobId id;                  ///< of its array task or of the whole job; empty until known
  int earlier_launches = 0;  ///< number of its last launch before
  bool started = false;
  bool ended = false;
};

/// A job that was, or was to be, handed to the batch system.
struct Submission {
  std::string launch;
  std::string job;
  double asked_at = 0;  ///< unix time
  std::vector<SubmittedRun> runs;
  JobId id;  ///< the batch system's; empty: not known whether it has the job
  bool refused = false;
  bool is_array = false;
  /// Nothing is left to happen.
  bool is_over() const;
  /// By a record of its being submitted.
  void take_ids(const contract::LaunchRecord& record);
};

/// A submission as it begins, by a record of its intent.
Submission begun_by(const contract::LaunchRecord& record);

/// The log's last word on a run.
struct RunWord {
  JobState state = JobState::Submitted;
  std::string launch;  ///< of its last submission
  JobId id;
  int submissions = 0;
  double submitted_at = 0, started_at = 0, ended_at = 0;  ///< unix times; 0 = not yet
  int exit_code = 0;
  std::string reason;
  std::vector<std::string> nodes;
  double elapsed_s = 0;          ///< by the batch system's books; 0 = not known
  double peak_memory_bytes = 0;  ///< likewise
};

class LaunchHistory {
 public:
  LaunchHistory() = default;
  explicit LaunchHistory(const std::vector<contract::LaunchRecord>& records);

  void take(const contract::LaunchRecord& record);
  /// In order of the log.
  const std::vector<Submission>& submissions() const { return submissions_; }
  /// Null: the batch system was never asked to run it, or refused to.
  const RunWord* word_on(const std::string& run_id) const;

 private:
  struct Word {
    RunWord said;
    std::size_t place = 0;  ///< in the runs of its last submission
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
