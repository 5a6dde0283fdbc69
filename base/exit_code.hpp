// SPDX-License-Identifier: Apache-2.0
// Defines the exit codes of `dlscale`.
#pragma once

namespace dlscale::base {

/// Exit codes of `dlscale`. 130 is 128 + SIGINT, as in shells.
enum ExitCode : int {
  kExitOk = 0,
  kExitRunsFailed = 1,
  kExitUsage = 2,
  kExitNothingMatched = 3,
  kExitSchedulerUnreachable = 4,
  kExitInterrupted = 130,
};

}  // namespace dlscale::base
