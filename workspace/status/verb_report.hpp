// SPDX-License-Identifier: Apache-2.0
// The document that verbs which act on runs print with --json.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// What was done to a run: the words of contract::HandledRun::action.
namespace action {
inline constexpr const char* kSubmitted = "submitted";
inline constexpr const char* kWaiting = "waiting";
inline constexpr const char* kRefused = "refused";
inline constexpr const char* kEnded = "ended";
inline constexpr const char* kCancelled = "cancelled";
}  // namespace action

/// What a verb did to runs, or would do.
struct Deeds {
  std::map<std::string, std::string> actions;  ///< by run id
  std::map<std::string, std::string> reasons;  ///< of refusals; by run id
  int jobs = 0;
  std::vector<std::string> commands;
  bool dry_run = false;
};

/// Adds what the launch log says since it had `before` records: what was submitted, refused or has
/// ended. A run that was submitted counts as that, whatever became of it.
void add_log(const runner::LaunchLog& log, std::size_t before, Deeds& deeds);

/// What a verb does, and what it has done.
struct VerbWork {
  std::string verb;
  std::function<int()> work;     ///< returns the exit code
  std::function<Deeds()> deeds;  ///< asked when the work has ended, in whatever way
};

/// Does the work and returns its exit code. With `place.json` prints afterwards how the selected
/// runs are and all others that were dealt with, also where the work ends with an error, which is
/// passed on.
int report_on(const LaunchFolder& place, const RunIds& selected, const VerbWork& work);

}  // namespace dlscale::workspace
