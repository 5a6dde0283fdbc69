// SPDX-License-Identifier: Apache-2.0
// Follows the submitted jobs with one query for all jobs, and records each change in the launch
// log.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/status/cancel_requests.hpp"
#include "runner/status/launch_log.hpp"
#include "runner/status/run_end.hpp"

namespace dlscale::runner {

struct RunReport {
  std::string run_id;
  RunEnd end;
  double wall_s = 0;         ///< seconds since a query first reported the job as running
  int earlier_launches = 0;  ///< number of the run's last launch before this submission
};

/// Submitted job, or submitted task of an array.
struct ActiveJob {
  std::string launch;
  std::string job;
  JobId whole;  ///< id of the whole array, equal to `id` for other jobs
  JobId id;
  std::vector<SubmittedRun> runs;  ///< runs that have not ended
  bool shared = false;             ///< true: several runs were submitted as one job
  bool running = false;
  bool cancelled = false;      ///< true: the user or the launcher requested the end
  bool end_requested = false;  ///< true: this program sent the request to the batch system
  double running_since_s = 0;  ///< steady-clock time in s
  JobStatus last;              ///< last status from the batch system
};

class ActiveJobs {
 public:
  /// Follows jobs of `plan`. Records no changes if `log` is null.
  ActiveJobs(const contract::Plan& plan, const contract::PlanDir& folder, JobScheduler& scheduler,
             const base::Clock& clock, LaunchLog* log);

  /// Starts to follow those runs of a submission that have not ended. Ignores a submission without
  /// a job id.
  void track(const Submission& submission);
  const std::vector<ActiveJob>& all() const { return active_jobs_; }
  bool has_job(const std::string& job) const { return jobs_.contains(job); }
  bool has_run(const std::string& run_id) const { return runs_.contains(run_id); }
  /// Returns the ids in the batch system for which jobs that depend on `job` must wait.
  std::vector<JobId> ids_of(const std::string& job) const;

  /// Queries the status of all jobs with one query and returns the runs that have ended. Throws
  /// SchedulerUnreachable if the batch system does not answer.
  std::vector<RunReport> poll();
  /// Requests the end of all jobs. A second call kills the jobs. Throws SchedulerUnreachable if the
  /// batch system does not answer.
  void cancel_all();
  /// Stops following all jobs and returns their runs. The jobs count as cancelled, even if the
  /// batch system has not confirmed their end.
  std::vector<RunReport> abandon();

 private:
  void read_cancel_requests();
  void end_cancelled(const std::vector<std::size_t>& waiting);
  void note(contract::LaunchRecord record);
  contract::LaunchRecord record_of(const ActiveJob& active, const char* event) const;
  void take_answer(ActiveJob& active, JobStatus status);
  void note_starts();
  std::vector<RunReport> finalize(const std::vector<ActiveJob>& ended);
  RunReport finalize_run(const ActiveJob& active, const SubmittedRun& run, const JobUsage& usage);
  std::vector<JobUsage> usage_of(const std::vector<ActiveJob>& ended);
  void forget(const std::vector<ActiveJob>& ended);

  contract::PlanDir folder_;
  JobScheduler& scheduler_;
  const base::Clock& clock_;
  LaunchLog* log_;
  CancelRequestReader request_file_;
  std::set<CancelRequest> cancel_requests_;
  std::unordered_map<std::string, const contract::PlannedRun*> planned_;
  std::vector<ActiveJob> active_jobs_;
  std::vector<std::size_t> just_started_;  ///< indices in active_jobs_
  std::multiset<std::string> jobs_;        ///< job names in active_jobs_
  std::set<std::string> runs_;             ///< run ids in active_jobs_
};

}  // namespace dlscale::runner
