// SPDX-License-Identifier: Apache-2.0
// Defines the JSON output of the commands that work on a plan folder or a site.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::contract {

/// State of a run in `dlscale status`. An empty value is unknown or does not apply.
struct RunStatus {
  std::string run_id;
  std::string state;
  std::string reason;  ///< reason of the run's end, in one line
  bool stale = false;
  /// Completed epochs, including those of the launches that were resumed.
  std::optional<int> epoch;
  std::optional<int> epochs;
  std::optional<double> elapsed_s;  ///< elapsed time of the last launch
  std::vector<std::string> nodes;   ///< host names
  std::string job;                  ///< name of the job in the plan
  std::string job_id;               ///< id of the job in the batch system
};

/// Output of `dlscale status --json`.
struct StatusReport {
  std::string study;
  double time = 0;                    ///< seconds since 1970 UTC
  std::map<std::string, int> counts;  ///< number of runs by state
  int stale = 0;                      ///< number of runs with results of an earlier description
  std::optional<double> rest_s;       ///< expected time until the last run ends
  std::vector<RunStatus> runs;
  std::vector<std::string> warnings;  ///< warnings about the code and the records of runs
};
std::string to_json(const StatusReport& report);

/// Run that a command handled, and what the command did with the run.
struct HandledRun {
  RunStatus status;           ///< state of the run when the command ended
  std::string action;         ///< submitted, waiting, refused, ended, cancelled; empty = unchanged
  std::optional<int> launch;  ///< number of the last launch; empty if the run never started
};

/// Output of `dlscale submit`, `retry`, `wait` and `cancel` with `--json`.
struct VerbReport {
  std::string study;
  std::string verb;
  double time = 0;                     ///< end of the command, seconds since 1970 UTC
  bool dry_run = false;                ///< true if the command only reported what it would do
  int exit_code = 0;                   ///< exit code of the command
  std::string error;                   ///< reason in one line if the command ended early
  int jobs = 0;                        ///< number of jobs that the command submitted or cancelled
  std::map<std::string, int> counts;   ///< number of selected runs by state
  std::map<std::string, int> actions;  ///< number of runs by action
  std::vector<std::string> commands;   ///< dry run: shell commands that would submit the jobs
  std::vector<HandledRun> runs;
};
std::string to_json(const VerbReport& report);

/// Result of one check of `dlscale doctor`.
struct CheckRecord {
  std::string name;
  std::string level;    ///< level: ok, warn, fail
  std::string message;  ///< statement of the result
  std::string advice;   ///< recommended action; empty if the result is good
};
std::string to_json(const std::vector<CheckRecord>& checks);

/// Line of `dlscale usage` for a group of launches that have ended. Medians are over the launches.
struct UsageRow {
  /// Value of each axis that defines the group. The map is empty for all launches.
  std::map<std::string, std::string> by;
  int launches = 0;
  int timeouts = 0;                     ///< number of launches that timed out
  std::optional<double> walltime_s;     ///< requested time, median
  std::optional<double> elapsed_s;      ///< elapsed time, median
  std::optional<double> elapsed_max_s;  ///< elapsed time, maximum
  std::optional<double> walltime_used;  ///< elapsed / requested time, median
  double gpu_hours = 0;                 ///< requested GPU-hours
  double gpu_hours_used = 0;
  std::optional<double> memory_bytes;       ///< memory of a node of the partition, median
  std::optional<double> peak_memory_bytes;  ///< peak memory of a node, maximum
};
std::string to_json(const std::vector<UsageRow>& rows);

}  // namespace dlscale::contract
