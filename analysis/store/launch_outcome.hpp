// SPDX-License-Identifier: Apache-2.0
// How the launches of a run ended, from what several witnesses say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "contract/records/launch_record.hpp"

namespace dlscale::analysis {

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
