// SPDX-License-Identifier: Apache-2.0
// How the launches of a run ended, from what several witnesses say, and what ends a run's training.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/launch_record.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::analysis {

// What ends a run's training: runs that stop by different rules do different work.

/// "epochs", "accuracy >= 0.94 or epochs", "epochs or 3 without learning"; "inference" of runs that
/// do not train. Of another program's run what its axis `stop_rule` says; else it is empty.
/// The number of epochs is no part of the rule: rates do not depend on it.
std::string stop_rule(const contract::RunSpec& run);

// How the launches of a run ended, from what several witnesses say.

/// What a launch's own results file says.
struct LaunchSeen {
  int launch = 1;
  double started = 0;                            ///< NaN when it says nothing
  std::optional<contract::RunOutcome> run_stop;  ///< of its last record
  std::string reason;                            ///< of run_stop
  std::string source = "results.jsonl";          ///< the file that says this
};

/// An `ended` record that concerns the run.
struct EndRecord {
  enum class Scope {
    Run,     ///< the runner says how this run ended
    Script,  ///< the job script says how this run's process ended
    Job,     ///< only the end of the job it ran in is known
  };
  Scope scope = Scope::Run;
  std::string source;  ///< file
  contract::LaunchRecord record;
};

struct LaunchEnd {
  std::string outcome;  ///< a RunOutcome's name or "Unfinished"
  std::string source;   ///< file that says so; empty if none does
  std::string reason;
};

/// One end per launch. An `ended` record belongs to the launch that started last before it. The
/// runner's word on the run counts most, then run_stop, then the job script's, then the end of
/// the job. Over a run_stop that tells of a mere signal the script's word wins. A job that
/// completed without the run doing so has Lost it. No witness: Unfinished.
std::vector<LaunchEnd> decide_ends(const std::vector<LaunchSeen>& launches,
                                   std::vector<EndRecord> ends);

/// How a run ended that has no launch at all: as the last of its ends says, else "NotStarted".
LaunchEnd decide_without_launch(std::vector<EndRecord> ends);

}  // namespace dlscale::analysis
