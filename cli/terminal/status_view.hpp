// SPDX-License-Identifier: Apache-2.0
// Shows the states of runs for `dlscale status`, and for `--watch` a live table on a terminal, or
// blocks of lines elsewhere.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::cli {

// Text lines of `dlscale status`.

/// Returns at most `most` runs in their order. If there are more, selects by state: running,
/// failed, waiting, planned, done, not needed.
std::vector<workspace::ShownRun> most_telling(const std::vector<workspace::ShownRun>& runs,
                                              std::size_t most);
/// Returns the running and failed runs.
std::vector<workspace::ShownRun> worth_a_look(const std::vector<workspace::ShownRun>& runs);

/// Returns a summary of the runs in `all` that are not in `shown`: "… and 96 more: 90 done, 6
/// planned". Empty if there are none.
std::string count_others(const std::vector<workspace::ShownRun>& all,
                         const std::vector<workspace::ShownRun>& shown);

/// Returns the table of `runs` as lines, with coloured states if the terminal supports colours, and
/// cut to its width if `cut`.
std::vector<std::string> table_lines(const std::vector<workspace::ShownRun>& runs,
                                     const Terminal& terminal, bool cut);

struct WatchHead {
  std::string title;  ///< names of study and site
  double now_unix_s = 0;
  double first_start_s = 0;  ///< Unix time of the first start; 0 if nothing has started
};

/// Returns the lines above the rows of a live table: title and time, progress and expected end,
/// counts.
std::vector<std::string> head_lines(const WatchHead& head,
                                    const std::vector<workspace::ShownRun>& runs,
                                    const Terminal& terminal);

/// Returns a whole screen: the head, as many rows as fit, and the number of omitted rows.
std::vector<std::string> screen_lines(const WatchHead& head,
                                      const std::vector<workspace::ShownRun>& runs,
                                      const Terminal& terminal);

void print_lines(const std::vector<std::string>& lines, std::ostream& out);

// Live table of `dlscale status --watch` on a terminal, or blocks of lines elsewhere.

/// Shows the selected runs of an up-to-date status, and again after each update, every `interval_s`
/// seconds. Returns kExitOk when all runs have ended, and kExitInterrupted after a signal.
int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals);

}  // namespace dlscale::cli
