// SPDX-License-Identifier: Apache-2.0
// `dlscale status --watch`: a live table of runs on a terminal, blocks of lines elsewhere.
#pragma once

#include <vector>

#include "cli/terminal/interrupt.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::cli {

/// Shows the chosen runs of a status that is up to date, and again after each update, every
/// `interval_s` seconds. Returns kExitOk when all runs have ended and kExitInterrupted after a
/// signal.
int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals);

}  // namespace dlscale::cli
