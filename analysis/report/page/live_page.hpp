// SPDX-License-Identifier: Apache-2.0
// Renders the state of a study as one small HTML file, which a group can watch through a web server
// while the study runs. The file contains no script and loads no other files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/report/page/study_page.hpp"

namespace dlscale::analysis {

/// Number of runs in a state.
struct StateCount {
  enum class Kind { Waiting, Running, Good, Bad };
  std::string name;
  int runs = 0;
  Kind kind = Kind::Waiting;
};

struct LivePage {
  /// Results of the runs that have completed. The title is the heading of the page.
  StudyPage study;
  std::string no_results;  ///< reason why the page shows no results; empty if it shows results
  std::string time;        ///< time at which the states were read, as local time
  double share_done = 0;   ///< share of the work of all runs that has ended, 0 to 1
  /// Sentences on the progress: the number of ended runs, the elapsed time and the expected end.
  std::vector<std::string> progress;
  std::vector<StateCount> states;
  /// Warnings about the scheduler, the code and the records of runs.
  std::vector<std::string> warnings;
  Table runs;  ///< a row for each run, or for the most important runs
  /// Seconds after which a browser loads the page again; 0: the study has ended.
  int refresh_s = 0;
};

/// Returns the content of the HTML file. Names, reasons and warnings are escaped, so that any
/// markup in them is shown as text.
std::string live_page(const LivePage& page);

/// Returns true if the text is the beginning of a page that live_page() returned. At least 1000
/// bytes are needed.
bool is_live_page(std::string_view text);

}  // namespace dlscale::analysis
