// SPDX-License-Identifier: Apache-2.0
// Provides the parts that are shared by commands that launch or follow jobs: a plan folder with its
// scheduler, and the launch itself.
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

/// Plan folder with its scheduler.
struct LaunchFolder {
  /// Opens a plan folder. With `json`, standard output is reserved for one document at the end, and
  /// messages go to standard error.
  explicit LaunchFolder(const std::filesystem::path& root, bool json = false);
  bool is_local() const { return plan.scheduler == "local"; }
  /// Returns the site's limit of jobs per user; 0 means no limit.
  int site_limit() const;

  const bool json;
  std::ostream& words;             ///< stream for messages to the user
  const contract::PlanDir folder;  ///< plan folder with an absolute path
  const contract::Plan plan;
  const base::SystemClock clock;
  /// Environment of every program that is started for the folder.
  const runner::CleanEnvironment environment;
  const std::unique_ptr<runner::CommandRunner> commands;
  const std::unique_ptr<runner::JobScheduler> scheduler;
};

/// Opens the launch log. Returns null if another dlscale process holds the log, because that
/// process then follows the jobs and records their ends. Throws base::RunError if the log cannot be
/// written.
std::unique_ptr<runner::LaunchLog> open_log_if_free(const LaunchFolder& place);

/// Returns whether the user may write the launch log, or may create it if it does not exist.
bool may_write_log(const LaunchFolder& place);

/// Settings of the user for launching jobs.
struct LaunchChoice {
  runner::Until until = runner::Until::ended;
  int max_jobs = 0;   ///< maximum number of jobs at a time; 0 = limit of the site
  double poll_s = 0;  ///< seconds between queries; 0 = default for the scheduler
  std::vector<std::string> avoid;
  bool tell_submissions = true;
  /// Function that returns more runs, see runner::LauncherParts.
  std::function<std::set<std::string>()> more;
};

/// Returns the runs of `among` whose jobs are waiting or running according to `history`.
std::set<std::string> open_runs(const runner::LaunchHistory& history, const RunIds& among);

/// Returns the runs of `among` that have ended according to the files of the folder.
RunIds ended_runs(const LaunchFolder& place, const RunIds& among);

/// States of runs according to the current answer of the scheduler.
struct AskedStates {
  runner::States states;
  bool followed = false;  ///< true if another dlscale process may still submit planned runs
};

/// Queries the scheduler without recording anything.
AskedStates ask_states(const LaunchFolder& place);

/// Returns true if one of `runs` has an unfinished job, or if another dlscale process may still
/// submit one of `runs`.
bool any_is_open(const AskedStates& now, const RunIds& runs);

/// Receiver of the events of a launch, and function that returns the number of stop requests from
/// the user.
struct LaunchAudience {
  runner::LaunchObserver& view;
  std::function<int()> stop_count;
};

/// Launches and follows jobs until `orders` are done or the user requests a stop. After a stop
/// request, jobs of a scheduler continue, and jobs on the local machine are ended.
runner::LaunchReport launch(LaunchFolder& place, runner::LaunchLog& log,
                            const runner::LaunchOrders& orders, const LaunchChoice& choice,
                            const LaunchAudience& audience);

/// Function that calls launch() with the program's own LaunchAudience.
using LaunchFunction = std::function<runner::LaunchReport(
    LaunchFolder& place, runner::LaunchLog& log, const runner::LaunchOrders& orders,
    const LaunchChoice& choice)>;

/// Throws base::RunError with the reasons if the scheduler rejected runs.
void require_all_taken(const runner::LaunchReport& report);

/// Returns a new unique token of letters and digits.
std::string new_launch_token();

/// Prints how to continue after an interruption, and returns kExitInterrupted.
int tell_of_interruption(const LaunchFolder& place, const runner::LaunchReport& report);

/// Prints the command that reads the results of runs that have ended.
void print_collect_hint(const LaunchFolder& place);

/// Prints the number of `runs` in each state, and returns the number of failed runs. Waiting,
/// running and completed runs do not count as failed.
int print_states(const LaunchFolder& place, const RunIds& runs);
int print_states(const LaunchFolder& place, const RunIds& runs, const runner::States& states);

}  // namespace dlscale::workspace
