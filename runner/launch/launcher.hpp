// SPDX-License-Identifier: Apache-2.0
// Launches the runs of a plan through a job scheduler.
// The problem: a launcher may stop or die at any step while its jobs continue to run, and batch
// systems limit the number of jobs of a user. The idea: the launcher records each step in the
// launch log, so that a later launcher continues where this launcher stopped or died. The launcher
// keeps only as many jobs submitted as its window and the batch system allow. Batch systems do not
// report their limit, so the launcher submits half as many tasks after a rejection for lack of
// room.
#pragma once

#include <functional>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/retry_policy.hpp"
#include "runner/launch/submitter.hpp"
#include "runner/status/active_jobs.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

struct Progress {
  int total = 0;                     ///< number of runs to finish, including completed runs
  int completed = 0;                 ///< number of completed runs, also of earlier launchers
  int failed = 0;                    ///< number of failed runs of this launch, cancelled excluded
  int queued = 0;                    ///< number of submitted runs that are not running
  int waiting = 0;                   ///< number of runs that are not submitted yet
  std::vector<std::string> running;  ///< run ids
};

class LaunchObserver {
 public:
  virtual ~LaunchObserver() = default;
  virtual void submitted(const Submission& submission) = 0;
  virtual void run_ended(const RunReport& report, const Progress& progress) = 0;
  /// Called after each query to the scheduler.
  virtual void progressed(const Progress& progress) = 0;
  /// Receives a message for the user, for example that the batch system does not answer.
  virtual void told(const std::string& line) = 0;
};

/// Condition on which a launcher returns.
enum class Until {
  looked,       ///< one query, and one submission of the jobs that fit
  handed_over,  ///< submission of all runs
  ended,        ///< end of all runs
};

struct LauncherOptions {
  Until until = Until::ended;
  int window = 0;       ///< largest number of submitted jobs and array tasks, 0 = no limit
  double poll_s = 0.1;  ///< seconds between two queries to the scheduler
  /// True: jobs are cancelled if the launcher is stopped. False: the jobs stay in the scheduler.
  bool stop_jobs = true;
  /// Seconds after which the launcher records cancelled jobs as cancelled, even if the scheduler
  /// has not confirmed their end.
  double give_up_s = 30;
  double unreachable_s = 600;  ///< seconds for which the launcher retries a silent scheduler
  double settle_time_s = 3;    ///< settle time of a submission in s, as in Submitter
  /// True: jobs are submitted together with the jobs they depend on, and the scheduler makes them
  /// wait. False: the launcher submits a job after the jobs it depends on have ended.
  bool hand_over_chains = false;
  std::vector<std::string> avoid = {};  ///< host names of nodes that jobs must not use
};

/// Objects that a launcher uses.
struct LauncherParts {
  JobScheduler& scheduler;
  LaunchLog& log;
  LaunchObserver& observer;
  WaitContext
      waiting;  ///< clock, pause and stop requests (1 = stop, 2 or more = kill cancelled jobs)
  std::function<std::string()> new_launch;
  /// Returns further runs to submit after all runs have ended. May be empty.
  std::function<std::set<std::string>()> more = {};
};

/// Runs that a launcher brings to their end.
struct LaunchOrders {
  std::set<std::string> submit;  ///< runs without a job, submitted unless they are completed
  std::set<std::string> follow;  ///< runs that already have a job
};

struct LaunchReport {
  std::vector<RunReport> ended;    ///< runs whose end this launcher saw, in the order of their end
  int submitted = 0;               ///< number of submitted jobs
  int queued = 0;                  ///< number of runs in the scheduler
  int waiting = 0;                 ///< number of runs that are not submitted for lack of room
  bool stopped = false;            ///< true: a stop was requested before all runs ended
  std::set<std::string> refused;   ///< runs that the batch system rejected
  std::set<std::string> refusals;  ///< reasons of the rejections
};

class Launcher {
 public:
  /// Prepares a launch of `plan`, which must have been written to `folder`. The root of `folder`
  /// must be an absolute path.
  Launcher(const contract::Plan& plan, const contract::PlanDir& folder, LauncherParts parts,
           const LauncherOptions& options);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  /// Submits and follows the runs until the condition LauncherOptions::until holds or a stop is
  /// requested.
  /// - A job starts after the jobs it depends on have ended, even if runs of these jobs failed.
  /// - A run that stopped at a checkpoint is resumed as long as each launch advances the run.
  /// - Other jobs are still submitted if the batch system rejects a job.
  ///
  /// Throws base::RunError for jobs that wait for each other, and SchedulerUnreachable.
  LaunchReport run(const LaunchOrders& orders);

 private:
  /// Runs of a job that wait for their submission.
  struct Waiter {
    const contract::PlannedJob* job;
    std::vector<std::string> runs;
  };

  void look_back(const LaunchOrders& orders);
  bool resolve(const LaunchHistory& history, std::set<std::string>& to_submit);
  void enqueue(const std::set<std::string>& runs);
  void drop_cancelled();
  bool submit_what_fits();
  bool submit_part(Waiter& waiter);
  void take_refusal(const JobRejected& refusal, const std::string& job,
                    const std::vector<std::string>& runs);
  void take_note_of_limit(const SubmitLimitReached& refusal, int asked);
  std::vector<std::string> nodes_to_avoid(const std::vector<std::string>& runs) const;
  std::optional<std::vector<JobId>> predecessors(const contract::PlannedJob& job) const;
  int room() const;
  bool poll();
  void take_end(const RunReport& report);
  bool goes_on(const RunReport& report) const;
  bool finished();
  Progress progress() const;
  void stop();

  const contract::Plan& plan_;
  contract::PlanDir folder_;
  LauncherParts parts_;
  LauncherOptions options_;
  RetryPolicy retry_policy_;
  Submitter submitter_;
  ActiveJobs active_jobs_;
  CancelWishes cancel_requests_;
  std::list<Waiter> waiting_;
  int most_ = 0;              ///< assumed limit of the scheduler on submitted jobs
  double most_until_s_ = -1;  ///< steady time until which most_ applies, negative before any limit
  std::map<std::string, std::string> bad_nodes_;  ///< host name of the failed node by run id
  std::set<std::string> followed_;  ///< runs that must end before this launcher finishes
  std::set<std::string> completed_, failed_, cancelled_;  ///< ended runs among followed_
  LaunchReport report_;
};

}  // namespace dlscale::runner
