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
  /// - described: the job read the version of the code and of its software, just before it started
  ///   the command of an external run.
  /// - requeued: the batch system put the job back into its queue, under `job_id`.
  /// - ended: the job or the named run ended.
  /// - cancelling: a user requested to cancel `run_id`. This event occurs only in
  ///   logs/cancel.jsonl.
  std::string event;
  std::string job;     ///< name of the job in the plan
  std::string launch;  ///< token that identifies the submission, also in the batch system
  std::string run_id;  ///< run that the event is about; empty if it is about the whole job
  std::string job_id;  ///< id of the job in the batch system
  /// Runs that the event is about. For submitting: the runs of the job, for an array in task order.
  /// For started and requeued: the affected runs.
  std::vector<std::string> runs;
  /// For submitting: number of each run's latest launch. The list is empty if no run was launched
  /// before.
  std::vector<int> launches;
  /// For submitting: runs that the job starts even if they are completed. The job script reads this
  /// list.
  std::vector<std::string> repeat;
  std::vector<std::string> task_ids;  ///< submitted: ids of the array's tasks in the batch system
  std::vector<std::string> nodes;     ///< started, ended: names of the hosts
  double time = 0;                    ///< seconds since 1970 UTC
  std::optional<RunOutcome> outcome;  ///< outcome of the job or run; only for "ended"
  int exit_code = 0;                  ///< exit code of the job or run; only for "ended"
  /// For ended: elapsed time from the accounting of the batch system. 0 means unknown.
  double elapsed_s = 0;
  /// For ended: peak memory from the accounting of the batch system. 0 means unknown.
  double peak_memory_bytes = 0;
  /// Size of the run's stderr file at the event. Only records of job scripts contain it.
  std::int64_t stderr_bytes = 0;
  std::string reason;  ///< reason for the event, one line for the user
  /// For submitting and described: name of the SoftwareRecord in the folder software/. Empty if
  /// the software is unknown.
  std::string software;
  int launch_number = 0;  ///< for described: number k of the folder launch-<k>
  bool operator==(const LaunchRecord&) const = default;
};

std::string to_json_line(const LaunchRecord& record);

/// Reads a whole log. Skips lines that are not launch records, such as the incomplete last line of
/// a killed writer.
std::vector<LaunchRecord> parse_launch_log(std::string_view text);
/// Reads a whole log and passes its records to `visit` one after another, for callers that do not
/// keep all records.
void parse_launch_log(std::string_view text, const std::function<void(LaunchRecord&&)>& visit);

}  // namespace dlscale::contract
