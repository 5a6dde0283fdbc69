// SPDX-License-Identifier: Apache-2.0
// Creates the --json document of commands that act on runs, such as `dlscale submit` and `dlscale
// cancel`.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Names of the actions in contract::HandledRun::action.
namespace action {
inline constexpr const char* kSubmitted = "submitted";
inline constexpr const char* kWaiting = "waiting";
inline constexpr const char* kRefused = "refused";
inline constexpr const char* kEnded = "ended";
inline constexpr const char* kCancelled = "cancelled";
}  // namespace action

/// Results of a command: its actions on runs, the number of jobs and the shell commands.
struct Deeds {
  std::map<std::string, std::string> actions;  ///< actions by run id
  /// Reasons why the scheduler rejected runs, by run id.
  std::map<std::string, std::string> reasons;
  int jobs = 0;
  std::vector<std::string> commands;
  bool dry_run = false;
};

/// Adds the submitted, rejected and ended runs from the records of the launch log. Skips the first
/// `before` records. A run that was submitted and has ended since still counts as submitted.
void add_log(const runner::LaunchLog& log, std::size_t before, Deeds& deeds);

/// Work of a command, and a function that reports its results.
struct VerbWork {
  std::string verb;
  std::function<int()> work;     ///< function that does the work and returns the exit code
  std::function<Deeds()> deeds;  ///< function that is called after the work, also after an error
};

/// Does the work and returns its exit code. With `place.json`, prints the document with the states
/// of the selected runs and of all other handled runs. After an error, prints the document and
/// rethrows the error.
int report_on(const LaunchFolder& place, const RunIds& selected, const VerbWork& work);

}  // namespace dlscale::workspace
