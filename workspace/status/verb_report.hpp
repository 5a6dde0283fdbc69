// SPDX-License-Identifier: Apache-2.0
// Creates the --json document of verbs that act on runs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "workspace/jobs/launching.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// Action on a run, see contract::HandledRun::action.
namespace action {
inline constexpr const char* kSubmitted = "submitted";
inline constexpr const char* kWaiting = "waiting";
inline constexpr const char* kRefused = "refused";
inline constexpr const char* kEnded = "ended";
inline constexpr const char* kCancelled = "cancelled";
}  // namespace action

/// Actions of a verb on runs.
struct Deeds {
  std::map<std::string, std::string> actions;  ///< by run id
  std::map<std::string, std::string> reasons;  ///< reasons of rejections, by run id
  int jobs = 0;
  std::vector<std::string> commands;
  bool dry_run = false;
};

/// Adds the records of the launch log after the first `before` ones: submitted, rejected and ended
/// runs. A submitted run counts as submitted, whatever happened to it later.
void add_log(const runner::LaunchLog& log, std::size_t before, Deeds& deeds);

/// The work of a verb, and its report.
struct VerbWork {
  std::string verb;
  std::function<int()> work;     ///< returns the exit code
  std::function<Deeds()> deeds;  ///< called after the work, also after an error
};

/// Does the work and returns its exit code. With `place.json`, then prints the states of the
/// selected and of all other handled runs, also after an error, which is rethrown.
int report_on(const LaunchFolder& place, const RunIds& selected, const VerbWork& work);

}  // namespace dlscale::workspace
