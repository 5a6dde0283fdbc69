// SPDX-License-Identifier: Apache-2.0
// How a launch can end, and the trainer's exit codes.
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
  kExitRunAgain = 99,  ///< checkpointed before the time limit; the same run is to be launched again
};

/// What a job's exit code says when nothing better is known: 0 Completed, 5 Diverged,
/// 99 Preempted, anything else Failed.
RunOutcome outcome_of_exit(int exit_code);

/// How a run ended whose ranks say that a signal stopped them. They do not know why: launchers stop
/// all ranks when one dies. By what the job script noted: its own word, for it knows what signal it
/// got; without one Cancelled if the exit code is 0 or tells of SIGINT or SIGTERM alone, else as
/// the code of the rank that died says.
RunOutcome outcome_of_stopped(const std::optional<RunOutcome>& noted, int exit_code);

}  // namespace dlscale::contract
