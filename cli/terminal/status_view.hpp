// SPDX-License-Identifier: Apache-2.0
// What `dlscale status` shows of runs, as lines of text.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/terminal/terminal.hpp"
#include "workspace/runs/run_columns.hpp"

namespace dlscale::cli {

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

}  // namespace dlscale::cli
