// SPDX-License-Identifier: Apache-2.0
// Shared by the verbs that launch or follow jobs: a plan folder, its scheduler and its launcher.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/clean_environment.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/launch/launcher.hpp"
#include "runner/status/launch_log.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {

/// A plan folder with its scheduler.
struct LaunchFolder {
  /// With `json`, standard output is reserved for one document at the end.
  explicit LaunchFolder(const std::filesystem::path& root, bool json = false);
  bool is_local() const { return plan.scheduler == "local"; }
  /// Returns the site's limit of jobs per user; 0: no limit.
  int site_limit() const;

  const bool json;
  std::ostream& words;             ///< messages to the user
  const contract::PlanDir folder;  ///< absolute
  const contract::Plan plan;
  const base::SystemClock clock;
  /// environment of every program started for the folder
  const runner::CleanEnvironment environment;
  const std::unique_ptr<runner::CommandRunner> commands;
  const std::unique_ptr<runner::JobScheduler> scheduler;
};

/// Opens the launch log. Returns null if another dlscale process follows the jobs and records their
/// ends. Throws base::RunError if the log cannot be written.
std::unique_ptr<runner::LaunchLog> open_log_if_free(const LaunchFolder& place);

/// Returns false if the user may not write or create the launch log.
bool may_write_log(const LaunchFolder& place);

/// The user's settings for launching jobs.
struct LaunchChoice {
  runner::Until until = runner::Until::ended;
  int max_jobs = 0;   ///< 0: limit of the site
  double poll_s = 0;  ///< 0: default for the scheduler
  std::vector<std::string> avoid;
  bool tell_submissions = true;
  std::function<std::set<std::string>()> more;  ///< see runner::LauncherParts
};

/// Returns the runs in waiting or running jobs according to `history`.
std::set<std::string> open_runs(const runner::LaunchHistory& history, const RunIds& among);

/// Returns the runs that have ended according to the files of the folder.
RunIds ended_runs(const LaunchFolder& place, const RunIds& among);

/// States of runs according to the current answer of the scheduler.
struct AskedStates {
  runner::States states;
  bool followed = false;  ///< by another dlscale process, which may still submit planned runs
};

/// Queries the scheduler without recording anything.
AskedStates ask_states(const LaunchFolder& place);

/// Returns true while one of `runs` has an unfinished job, or may still be submitted by another
/// dlscale process.
bool any_is_open(const AskedStates& now, const RunIds& runs);

/// Shows a launch to the user, and counts the user's stop requests.
struct LaunchAudience {
  runner::LaunchObserver& view;
  std::function<int()> stop_count;
};

/// Launches and follows jobs until `orders` are done or the user requests a stop. Jobs of a
/// scheduler then continue, local jobs end.
runner::LaunchReport launch(LaunchFolder& place, runner::LaunchLog& log,
                            const runner::LaunchOrders& orders, const LaunchChoice& choice,
                            const LaunchAudience& audience);

/// Calls launch() with the audience of the program.
using LaunchFunction = std::function<runner::LaunchReport(
    LaunchFolder& place, runner::LaunchLog& log, const runner::LaunchOrders& orders,
    const LaunchChoice& choice)>;

/// Throws base::RunError with the reasons if the scheduler rejected jobs.
void require_all_taken(const runner::LaunchReport& report);

/// Returns a new unique word of letters and digits.
std::string new_launch_token();

/// Prints how to continue after an interruption, and returns the exit code.
int tell_of_interruption(const LaunchFolder& place, const runner::LaunchReport& report);

/// Prints the number of `runs` in each state, and returns the number of failed runs. WaitContext
/// and completed runs do not count as failed.
int print_states(const LaunchFolder& place, const RunIds& runs);
int print_states(const LaunchFolder& place, const RunIds& runs, const runner::States& states);

}  // namespace dlscale::workspace
