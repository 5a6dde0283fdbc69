// SPDX-License-Identifier: Apache-2.0
// Defines the records of job events: lines of `launch.jsonl`, which the runner writes, and of
// `logs/<run_id>.end`, which the job script writes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "contract/run_outcome.hpp"

namespace dlscale::contract {

struct LaunchRecord {
  /// Kind of the event:
  /// - submitting: the runner is about to submit the job. The submission may still fail.
  /// - refused: the batch system rejected the job.
  /// - submitted: the batch system accepted the job.
  /// - started: the job or the named runs started.
  /// - requeued: the job waits again, under `job_id`.
  /// - ended: the job or the named run ended.
  /// - cancelling: a user requested to cancel `run_id`. Only in logs/cancel.jsonl.
  std::string event;
  std::string job;     ///< name of the job in the plan
  std::string launch;  ///< token of the submission, also known to the batch system
  std::string run_id;  ///< run of the record; empty for the whole job
  std::string job_id;  ///< id of the job in the batch system
  /// Runs of the record. For submitting: the runs of the job, for an array in task order. For
  /// started and requeued: the affected runs.
  std::vector<std::string> runs;
  std::vector<int> launches;  ///< submitting: number of each run's last launch; empty = none
  std::vector<std::string> task_ids;  ///< submitted: the batch system's ids of an array's tasks
  std::vector<std::string> nodes;     ///< started, ended: host names
  double time = 0;                    ///< seconds since 1970 UTC
  std::optional<RunOutcome> outcome;  ///< outcome; ended only
  int exit_code = 0;                  ///< exit code; ended only
  double elapsed_s = 0;               ///< ended: time in the batch system's accounting; 0 = unknown
  double peak_memory_bytes = 0;       ///< ended: memory in the accounting; 0 = unknown
  std::int64_t stderr_bytes = 0;      ///< job scripts: size of the run's error file at the event
  std::string reason;                 ///< reason in one line, for users
  bool operator==(const LaunchRecord&) const = default;
};

std::string to_json_line(const LaunchRecord& record);

/// Reads a whole log. Skips lines that are not launch records, such as the incomplete last line of
/// a killed writer.
std::vector<LaunchRecord> parse_launch_log(std::string_view text);
/// Passes the records to `take` one after another, for callers that do not keep all records.
void parse_launch_log(std::string_view text, const std::function<void(LaunchRecord&&)>& take);

}  // namespace dlscale::contract
