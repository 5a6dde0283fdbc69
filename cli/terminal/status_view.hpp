// SPDX-License-Identifier: Apache-2.0
// What `dlscale status` shows of runs, and `--watch`: a live table on a terminal, blocks of lines
// elsewhere.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/terminal/signals.hpp"
#include "cli/terminal/terminal.hpp"
#include "workspace/runs/run_columns.hpp"
#include "workspace/status/folder_status.hpp"

namespace dlscale::cli {

// What `dlscale status` shows of runs, as lines of text.

/// Up to `most` of the runs, in their order: all of them if that is enough, else first those that
/// run, then those that went wrong, wait, are planned, are done, are not needed.
std::vector<workspace::ShownRun> most_telling(const std::vector<workspace::ShownRun>& runs,
                                              std::size_t most);
/// Those that run or went wrong.
std::vector<workspace::ShownRun> worth_a_look(const std::vector<workspace::ShownRun>& runs);

/// "… and 96 more: 90 done, 6 planned": of `all`, without `shown`. Empty when there are none.
std::string count_others(const std::vector<workspace::ShownRun>& all,
                         const std::vector<workspace::ShownRun>& shown);

/// The table of `runs` as lines, states coloured if the terminal can; cut to the terminal's width
/// where `cut`.
std::vector<std::string> table_lines(const std::vector<workspace::ShownRun>& runs,
                                     const Terminal& terminal, bool cut);

struct WatchHead {
  std::string title;  ///< study and site
  double now_unix_s = 0;
  double first_start_s = 0;  ///< unix time; 0 = nothing has started
};

/// Title and time, progress and expected end, counts: what stands above the rows of a live table.
std::vector<std::string> head_lines(const WatchHead& head,
                                    const std::vector<workspace::ShownRun>& runs,
                                    const Terminal& terminal);

/// A whole screen: head, as many rows as there is room for, how many are left out.
std::vector<std::string> screen_lines(const WatchHead& head,
                                      const std::vector<workspace::ShownRun>& runs,
                                      const Terminal& terminal);

void print_lines(const std::vector<std::string>& lines, std::ostream& out);

// `dlscale status --watch`: a live table of runs on a terminal, blocks of lines elsewhere.

/// Shows the chosen runs of a status that is up to date, and again after each update, every
/// `interval_s` seconds. Returns kExitOk when all runs have ended and kExitInterrupted after a
/// signal.
int watch_status(workspace::FolderStatus& status,
                 const std::vector<const contract::PlannedRun*>& chosen, double interval_s,
                 const StopSignals& signals);

}  // namespace dlscale::cli
