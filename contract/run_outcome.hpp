// SPDX-License-Identifier: Apache-2.0
// Defines the outcomes of a launch and the exit codes of the trainer.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

enum class RunOutcome {
  Completed,
  Failed,
  OutOfMemory,
  TimedOut,
  NodeFailed,
  Preempted,
  Cancelled,
  Diverged,
  Lost,
};

const std::vector<RunOutcome>& all_outcomes();
std::string to_string(RunOutcome outcome);
std::optional<RunOutcome> outcome_from_string(std::string_view name);

/// Exit codes of `dlscale-train`.
enum TrainerExit : int {
  kExitDone = 0,
  kExitBadRunDescription = 2,
  kExitData = 3,
  kExitCommunication = 4,
  kExitDiverged = 5,
  kExitRunAgain = 99,  ///< state saved before the time limit; the run must be launched again
};

/// Returns the outcome that the exit code of a job of dlscale-train suggests. The caller uses it if
/// no better information exists. 0 is Completed, 5 is Diverged, 99 is Preempted, and any other code
/// is Failed. Other programs may use the codes 5 and 99 for their own purposes.
RunOutcome outcome_of_exit(int exit_code);

/// Returns the outcome of a run whose ranks report that a signal stopped them. The ranks do not
/// know the cause, because launchers stop all ranks when one rank dies. The first rule that applies
/// decides:
/// - The outcome that the job script recorded. The script knows which signal it received.
/// - Cancelled, if the exit code is 0 or stands for SIGINT or SIGTERM.
/// - The outcome for the exit code, which is the exit code of the rank that died.
RunOutcome outcome_of_stopped(const std::optional<RunOutcome>& noted, int exit_code);

}  // namespace dlscale::contract
