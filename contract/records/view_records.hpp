// SPDX-License-Identifier: Apache-2.0
// Defines the JSON output of the verbs that work on a plan folder or a site.
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
  std::optional<int> epoch;  ///< completed epochs of the last launch and the launches it resumed
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
};
std::string to_json(const StatusReport& report);

/// Run that a verb handled, and the action of the verb.
struct HandledRun {
  RunStatus status;           ///< state when the verb ended
  std::string action;         ///< submitted, waiting, refused, ended, cancelled; empty = unchanged
  std::optional<int> launch;  ///< number of the last launch; empty if the run never started
};

/// Output of `dlscale submit`, `retry`, `wait` and `cancel` with `--json`.
struct VerbReport {
  std::string study;
  std::string verb;
  double time = 0;                     ///< seconds since 1970 UTC
  bool dry_run = false;                ///< true if the verb only reported what it would do
  int exit_code = 0;                   ///< exit code of the verb
  std::string error;                   ///< reason in one line if the verb ended early
  int jobs = 0;                        ///< number of jobs that the verb submitted or cancelled
  std::map<std::string, int> counts;   ///< number of selected runs by state
  std::map<std::string, int> actions;  ///< number of runs by action
  std::vector<std::string> commands;   ///< dry run: shell commands that would submit the jobs
  std::vector<HandledRun> runs;
};
std::string to_json(const VerbReport& report);

/// Line of `dlscale doctor`.
struct CheckRecord {
  std::string name;
  std::string level;    ///< level: ok, warn, fail
  std::string message;  ///< result of the check
  std::string advice;   ///< recommended action; empty if the result is good
};
std::string to_json(const std::vector<CheckRecord>& checks);

/// Line of `dlscale usage`: launches that have ended. Medians are over launches.
struct UsageRow {
  std::map<std::string, std::string> by;  ///< value of each requested axis; empty for all launches
  int launches = 0;
  int timeouts = 0;                     ///< number of launches that timed out
  std::optional<double> walltime_s;     ///< requested time, median
  std::optional<double> elapsed_s;      ///< elapsed time, median
  std::optional<double> elapsed_max_s;  ///< elapsed time, maximum
  std::optional<double> walltime_used;  ///< elapsed / requested time, median
  double gpu_hours = 0;                 ///< requested GPU-hours
  double gpu_hours_used = 0;
  std::optional<double> memory_bytes;       ///< memory of a node, requested or present, median
  std::optional<double> peak_memory_bytes;  ///< peak memory of a node, maximum
};
std::string to_json(const std::vector<UsageRow>& rows);

}  // namespace dlscale::contract
