// SPDX-License-Identifier: Apache-2.0
// What the verbs that launch or follow jobs share: a plan folder, its batch system, its launcher.
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

/// A plan folder whose jobs are to be dealt with.
struct LaunchFolder {
  /// With `json` standard output is kept for one document at the end.
  explicit LaunchFolder(const std::filesystem::path& root, bool json = false);
  bool is_local() const { return plan.scheduler == "local"; }
  /// Most jobs of one user that its site allows at a time; 0 = no limit.
  int site_limit() const;

  const bool json;
  std::ostream& words;             ///< what is said to people
  const contract::PlanDir folder;  ///< absolute
  const contract::Plan plan;
  const base::SystemClock clock;
  const runner::CleanEnvironment environment;  ///< of every program that is started for the folder
  const std::unique_ptr<runner::CommandRunner> commands;
  const std::unique_ptr<runner::JobScheduler> scheduler;
};

/// Null where another dlscale follows the jobs, and notes their ends. Throws base::RunError where
/// the log cannot be written.
std::unique_ptr<runner::LaunchLog> open_log_if_free(const LaunchFolder& place);

/// False where the user has no right to write the launch log, or to make it.
bool may_write_log(const LaunchFolder& place);

/// How a user wants jobs to be launched.
struct LaunchChoice {
  runner::Until until = runner::Until::ended;
  int max_jobs = 0;   ///< 0: as the site says
  double poll_s = 0;  ///< 0: what suits the batch system
  std::vector<std::string> avoid;
  bool tell_submissions = true;
  std::function<std::set<std::string>()> more;  ///< as runner::LauncherParts has it
};

/// The runs that wait or run in a job's hands by what `history` says.
std::set<std::string> open_runs(const runner::LaunchHistory& history, const RunIds& among);

/// Those that have ended by the files of the folder.
RunIds ended_runs(const LaunchFolder& place, const RunIds& among);

/// How runs are by what the batch system answers now.
struct AskedStates {
  runner::States states;
  bool followed = false;  ///< by another dlscale, which may yet submit runs that are planned
};

/// Asks the batch system and notes nothing.
AskedStates ask_states(const LaunchFolder& place);

/// True while one of `runs` has a job that has not ended, or may yet be submitted by another
/// dlscale.
bool any_is_open(const AskedStates& now, const RunIds& runs);

/// Shows a launch to the user and counts how often the user has asked to stop.
struct LaunchAudience {
  runner::LaunchObserver& view;
  std::function<int()> stop_count;
};

/// Launches and follows until `orders` are done; stops when the user asks to. Jobs of a batch
/// system then stay there; those of this machine end.
runner::LaunchReport launch(LaunchFolder& place, runner::LaunchLog& log,
                            const runner::LaunchOrders& orders, const LaunchChoice& choice,
                            const LaunchAudience& audience);

/// launch() with an audience of the program's own.
using LaunchFunction = std::function<runner::LaunchReport(
    LaunchFolder& place, runner::LaunchLog& log, const runner::LaunchOrders& orders,
    const LaunchChoice& choice)>;

/// Throws base::RunError with the reasons where the batch system did not take all.
void require_all_taken(const runner::LaunchReport& report);

/// A word of letters and digits that nobody has had before.
std::string new_launch_token();

/// What is said, and the exit code, when a launcher was interrupted.
int tell_of_interruption(const LaunchFolder& place, const runner::LaunchReport& report);

/// How many of `runs` have failed by now, with a word on each state. Waiting and completed ones
/// count as good.
int print_states(const LaunchFolder& place, const RunIds& runs);
int print_states(const LaunchFolder& place, const RunIds& runs, const runner::States& states);

}  // namespace dlscale::workspace
