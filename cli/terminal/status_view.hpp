// SPDX-License-Identifier: Apache-2.0
// Shows the states of runs for `dlscale status`. With `--watch` it shows a live table on a
// terminal, or repeated blocks of lines elsewhere.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::cli {

// The following functions return the text lines of `dlscale status`.

/// Returns at most `most` runs in their order. If there are more, runs are selected by state in
/// this order: running, failed, waiting, planned, done, not needed.
std::vector<workspace::ShownRun> most_telling(const std::vector<workspace::ShownRun>& runs,
                                              std::size_t most);
/// Returns the runs that are running or have failed.
std::vector<workspace::ShownRun> worth_a_look(const std::vector<workspace::ShownRun>& runs);

/// Returns the number and the states of the runs in `all` that are not in `shown`: "… and 96 more:
/// 90 done, 6 planned". Returns an empty text if there are none.
std::string count_others(const std::vector<workspace::ShownRun>& all,
                         const std::vector<workspace::ShownRun>& shown);

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

/// Shows the states of the chosen runs, which must be up to date. Then updates and shows them every
/// `interval_s` seconds. Returns kExitOk when all runs have ended, and kExitInterrupted after a
/// signal.
int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals);

}  // namespace dlscale::cli
