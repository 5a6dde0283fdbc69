// SPDX-License-Identifier: Apache-2.0
// What the verbs that look at a plan folder or a site say in JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::contract {

/// A run as `dlscale status` sees it. Empty: not known, or nothing to say.
struct RunStatus {
  std::string run_id;
  std::string state;
  std::string reason;  ///< of its end; one line
  bool stale = false;
  std::optional<int> epoch;  ///< trained to their end by the last launch and those it resumed
  std::optional<int> epochs;
  std::optional<double> elapsed_s;  ///< of the last launch
  std::vector<std::string> nodes;   ///< host names
  std::string job;                  ///< the plan's
  std::string job_id;               ///< the batch system's
};

/// `dlscale status --json`.
struct StatusReport {
  std::string study;
  double time = 0;                    ///< seconds since 1970 UTC
  std::map<std::string, int> counts;  ///< runs by state
  int stale = 0;                      ///< runs with results of an earlier description
  std::optional<double> rest_s;       ///< expected until the last run ends
  std::vector<RunStatus> runs;
};
std::string to_json(const StatusReport& report);

/// A run that a verb was about, and what the verb did to it.
struct HandledRun {
  RunStatus status;           ///< when the verb ended
  std::string action;         ///< submitted, waiting, refused, ended, cancelled; empty: left alone
  std::optional<int> launch;  ///< number of its last launch; empty: it never started
};

/// `--json` of `dlscale submit`, `retry`, `wait` and `cancel`.
struct VerbReport {
  std::string study;
  std::string verb;
  double time = 0;                     ///< seconds since 1970 UTC
  bool dry_run = false;                ///< nothing was done: actions say what would be
  int exit_code = 0;                   ///< of the verb
  std::string error;                   ///< why it ended before all was done; one line
  int jobs = 0;                        ///< that the verb handed over, or cancelled
  std::map<std::string, int> counts;   ///< selected runs by state
  std::map<std::string, int> actions;  ///< runs by action
  std::vector<std::string> commands;   ///< of a dry run: what would submit the jobs, as shell lines
  std::vector<HandledRun> runs;
};
std::string to_json(const VerbReport& report);

/// A line of `dlscale doctor`.
struct CheckRecord {
  std::string name;
  std::string level;    ///< ok, warn, fail
  std::string message;  ///< what was found
  std::string advice;   ///< what to do; empty where all is well
};
std::string to_json(const std::vector<CheckRecord>& checks);

/// A line of `dlscale usage`: launches that have ended. Medians are over launches.
struct UsageRow {
  std::map<std::string, std::string> by;  ///< value of each axis asked for; empty: all together
  int launches = 0;
  int timeouts = 0;                     ///< of them
  std::optional<double> walltime_s;     ///< asked for, median
  std::optional<double> elapsed_s;      ///< taken, median
  std::optional<double> elapsed_max_s;  ///< taken by the longest
  std::optional<double> walltime_used;  ///< median of taken / asked for
  double gpu_hours = 0;                 ///< asked for
  double gpu_hours_used = 0;
  std::optional<double> memory_bytes;       ///< of a node, asked for or there, median
  std::optional<double> peak_memory_bytes;  ///< of the node that used most, largest
};
std::string to_json(const std::vector<UsageRow>& rows);

}  // namespace dlscale::contract
