// SPDX-License-Identifier: Apache-2.0
// Decides how the launches of a run ended, from the records of several sources. Also names the rule
// by which a run stops its training.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/launch_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// Stop rule of a run: the rule by which the run stops its training. Runs with different stop rules
// do different work.

/// Returns the stop rule as text:
/// - for a run that trains: "epochs", "accuracy >= 0.94 or epochs", or "epochs or 3 without
///   learning", with "steps" for a run with a given number of steps. The text does not contain
///   the number of epochs or steps, because throughput does not depend on it.
/// - for a run that does not train: its mode, "inference"
/// - for a run of another program: the run's value on the axis `stop_rule`, or an empty text if
///   there is no such axis
std::string stop_rule(const contract::RunSpec& run);

// Decision on how each launch of a run ended, from the records of several sources.

/// Start and end of a launch, according to the launch's own results file.
struct LaunchSeen {
  int launch = 1;
  double started = 0;  ///< start time; NaN: not recorded
  /// Outcome in the launch's stop record, if it has one.
  std::optional<contract::RunOutcome> run_stop;
  std::string reason;                    ///< reason in the launch's stop record
  std::string source = "results.jsonl";  ///< name of the results file
};

/// Record with the event `ended` that concerns a run. Other programs than the trainer write these
/// records: the runner and the job scripts.
struct EndRecord {
  enum class Scope {
    Run,     ///< record of the runner for the end of this run
    Script,  ///< record of the job script for the end of this run's process
    Job,     ///< record for the end of a job that contained this run and others
  };
  Scope scope = Scope::Run;
  std::string source;  ///< file that contains the record
  contract::LaunchRecord record;
  /// The record is about the launch with this number or about a later launch. 0: unknown.
  int first_launch = 0;
};

struct LaunchEnd {
  std::string outcome;  ///< name of a RunOutcome or "Unfinished"
  std::string source;   ///< file that records the outcome; empty if no file does
  std::string reason;
};

/// Returns one end for each launch. `launches` is sorted by launch number.
///
/// An `ended` record belongs to the first launch that meets both conditions:
/// - The number of the launch is at least EndRecord::first_launch.
/// - No later launch started before the time of the record. The start of some launches is unknown,
///   for example of launches whose output is read through a log format.
///
/// If no launch meets both conditions, the record belongs to the last launch. A record that is
/// older than the start of its launch is ignored.
///
/// If several sources record the end of a launch, the first source of this list decides:
/// - the runner's record for the run
/// - the outcome that the launch itself recorded (`run_stop`)
/// - the job script's record
/// - the record for the end of the job
///
/// There is one exception: if the launch itself only recorded that a signal stopped it, the job
/// script's record has priority. A run is Lost if its job completed, but neither the run nor its
/// job script recorded the end of the run. A launch without any record of its end is Unfinished.
std::vector<LaunchEnd> decide_ends(const std::vector<LaunchSeen>& launches,
                                   std::vector<EndRecord> ends);

/// Returns how a run without launches ended: the last `ended` record of the source with the highest
/// priority decides. The outcome is "NotStarted" if there is no record.
LaunchEnd decide_without_launch(std::vector<EndRecord> ends);

}  // namespace dlscale::analysis
