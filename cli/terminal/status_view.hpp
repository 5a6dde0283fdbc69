// SPDX-License-Identifier: Apache-2.0
// Shows the states of runs for `dlscale status`. With `--watch` it shows a live table on a
// terminal, or repeated blocks of lines elsewhere.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::cli {

// The following functions return the text lines of `dlscale status`.

/// Returns the table of `runs` as lines. States are coloured if the terminal supports colours. With
/// `cut`, the lines are cut to the width of the terminal.
std::vector<std::string> table_lines(const std::vector<workspace::ShownRun>& runs,
                                     const Terminal& terminal, bool cut);

struct WatchHead {
  std::string title;  ///< names of the study and the site
  double now_unix_s = 0;
  double first_start_s = 0;  ///< Unix time of the first start; 0 if nothing has started
};

/// Returns the lines above the rows of a live table: a title with the time, the progress with the
/// expected end, and the number of runs by state.
std::vector<std::string> head_lines(const WatchHead& head,
                                    const std::vector<workspace::ShownRun>& runs,
                                    const Terminal& terminal);

/// Returns the lines of a whole screen: the lines of head_lines(), as many rows as fit, and the
/// number of omitted rows.
std::vector<std::string> screen_lines(const WatchHead& head,
                                      const std::vector<workspace::ShownRun>& runs,
                                      const Terminal& terminal);

void print_lines(const std::vector<std::string>& lines, std::ostream& out);

// The following function repeatedly shows the states of runs for `dlscale status --watch`.

/// Function that is called with the chosen runs and their progress.
using OnUpdate = std::function<void(const std::vector<workspace::ShownRun>& runs)>;

/// Shows the states of the chosen runs, which must be up to date. Then updates and shows them every
/// `interval_s` seconds. Calls `on_update` each time before the states are shown. Returns kExitOk
/// when all runs have ended, and kExitInterrupted after a signal.
int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals, const OnUpdate& on_update = {});

}  // namespace dlscale::cli
