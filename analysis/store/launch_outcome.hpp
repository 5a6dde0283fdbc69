// SPDX-License-Identifier: Apache-2.0
// Decides how the launches of a run ended, from several sources, and names the rule that ends a
// run's training.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/launch_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// Rule that ends a run's training. Runs that stop by different rules do different work.

/// Returns the rule: "epochs", "accuracy >= 0.94 or epochs", "epochs or 3 without learning".
/// Returns "inference" for runs that do not train. Returns the value of the axis `stop_rule` for a
/// run of another program, or an empty text if the run does not have this axis. The number of
/// epochs is not part of the rule, because rates do not depend on it.
std::string stop_rule(const contract::RunSpec& run);

// End of each launch of a run, decided from several sources.

/// Records of a launch's own results file on its start and end.
struct LaunchSeen {
  int launch = 1;
  double started = 0;                            ///< start time; NaN: not recorded
  std::optional<contract::RunOutcome> run_stop;  ///< outcome in the launch's last record
  std::string reason;                            ///< reason in the launch's last record
  std::string source = "results.jsonl";          ///< file that contains these records
};

/// Record `ended` that concerns the run.
struct EndRecord {
  enum class Scope {
    Run,     ///< record of the runner on the end of this run
    Script,  ///< record of the job script on the end of this run's process
    Job,     ///< record on the end of the job that contained the run
  };
  Scope scope = Scope::Run;
  std::string source;  ///< file that contains the record
  contract::LaunchRecord record;
};

struct LaunchEnd {
  std::string outcome;  ///< name of a RunOutcome or "Unfinished"
  std::string source;   ///< file that records the outcome; empty: none
  std::string reason;
};

/// Returns one end per launch. An `ended` record belongs to the launch that started last before it.
/// The sources have this order of priority:
/// - the runner's record on the run
/// - run_stop of the launch
/// - the job script's record
/// - the end of the job
/// The job script's record has priority over a run_stop that reports only a signal. A run is Lost
/// if its job completed and the run did not. A launch without any record is Unfinished.
std::vector<LaunchEnd> decide_ends(const std::vector<LaunchSeen>& launches,
                                   std::vector<EndRecord> ends);

/// Returns how a run without launches ended, by its last record of the highest priority. Returns
/// "NotStarted" without a record.
LaunchEnd decide_without_launch(std::vector<EndRecord> ends);

}  // namespace dlscale::analysis
