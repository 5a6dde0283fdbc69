// SPDX-License-Identifier: Apache-2.0
// Launches the runs of a plan through a job scheduler.
// The problem: a launcher may stop or die at any step while its jobs continue to run, and batch
// systems limit the number of jobs of a user. The idea: the launcher records each step in the
// launch log, so that a later launcher can continue from there. The launcher has only as many jobs
// submitted at a time as its window and the batch system allow. Batch systems do not report their
// limit. When a batch system rejects a submission because of its limit, the launcher retries with
// half as many tasks.
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
  int total = 0;  ///< number of runs to finish, including completed runs
  /// Number of completed runs, including runs of earlier launchers.
  int completed = 0;
  /// Number of runs that failed while this launcher ran, without cancelled runs.
  int failed = 0;
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
  looked,       ///< after one query and the submission of the jobs that the window allows
  handed_over,  ///< after the submission of all runs
  ended,        ///< after the end of all runs
};

struct LauncherOptions {
  Until until = Until::ended;
  int window = 0;       ///< largest number of submitted jobs and array tasks, 0 = no limit
  double poll_s = 0.1;  ///< seconds between two queries to the scheduler
  /// True: if a stop is requested, the launcher cancels its jobs. False: the jobs stay in the
  /// scheduler.
  bool stop_jobs = true;
  /// Seconds after which the launcher records cancelled jobs as cancelled, even if the scheduler
  /// has not confirmed their end.
  double give_up_s = 30;
  /// Seconds for which the launcher retries if the scheduler does not answer.
  double unreachable_s = 600;
  /// Seconds that the batch system may need to accept a job. See Submitter.
  double settle_time_s = 3;
  /// True: a job is submitted even if jobs that it depends on have not ended, and the scheduler
  /// makes the job wait for those jobs. False: the launcher submits a job after the jobs that it
  /// depends on have ended.
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
  /// Function that returns further runs to submit after all runs have ended. May be empty.
  std::function<std::set<std::string>()> more = {};
  /// Function that describes the code and the software that external runs use now, and returns the
  /// name of the description (see LaunchRecord::software). May be empty.
  std::function<std::string()> describe_software = {};
};

/// Runs that a launcher submits or follows until the runs end.
struct LaunchOrders {
  /// Runs without a job, which are submitted unless they are completed.
  std::set<std::string> submit;
  std::set<std::string> follow;  ///< runs that already have a job
  /// External runs of `submit` that are submitted even if they are completed.
  std::set<std::string> repeat = {};
};

struct LaunchReport {
  std::vector<RunReport> ended;    ///< runs whose end this launcher saw, in the order of their end
  int submitted = 0;               ///< number of jobs that this launcher submitted
  int queued = 0;                  ///< number of runs that are in the scheduler
  int waiting = 0;                 ///< number of runs that are not submitted yet
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
  /// - A job starts after the jobs that it depends on have ended, even if runs of these jobs
  ///   failed.
  /// - A run that stopped at a checkpoint is resumed as long as each launch makes progress.
  /// - If the batch system rejects a job, the other jobs are still submitted.
  ///
  /// Throws base::RunError if jobs wait for each other, and SchedulerUnreachable if the scheduler
  /// does not answer.
  LaunchReport run(const LaunchOrders& orders);

 private:
  /// Runs of a job that wait for their submission.
  struct Waiter {
    const contract::PlannedJob* job;
    std::vector<std::string> runs;
  };

  void look_back(const LaunchOrders& orders);
  bool resolve(const LaunchHistory& history, std::set<std::string>& to_submit);
  bool is_completed(const std::string& run) const;
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
  CancelRequestReader cancel_requests_;
  std::list<Waiter> waiting_;
  /// Assumed maximum number of submitted jobs that the scheduler accepts.
  int most_ = 0;
  /// Steady-clock time until which most_ applies; negative: no limit is known.
  double most_until_s_ = -1;
  std::map<std::string, std::string> bad_nodes_;  ///< host name of the failed node by run id
  std::set<std::string> followed_;          ///< runs that must end before this launcher finishes
  std::set<std::string> completed_before_;  ///< external runs that earlier launches completed
  std::set<std::string> repeat_;            ///< runs that are submitted even if completed
  std::set<std::string> completed_, failed_, cancelled_;  ///< ended runs among followed_
  LaunchReport report_;
};

}  // namespace dlscale::runner
