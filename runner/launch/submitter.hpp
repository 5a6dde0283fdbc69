// SPDX-License-Identifier: Apache-2.0
// Submits each job to the batch system exactly once, even if an answer was lost.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/retry_policy.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

/// Part of a job: runs that are submitted together.
struct JobPart {
  const contract::PlannedJob* job = nullptr;
  std::vector<std::string> runs;  ///< run ids in the order of the job
  std::vector<JobId> after = {};
  std::vector<std::string> avoid = {};  ///< host names of nodes that the job must not use
  std::set<std::string> repeat = {};    ///< runs that the job starts even if they are completed
};

/// Returns the description of the job for the batch system.
Job describe_job(const contract::PlanDir& folder, const JobPart& part, const std::string& launch);

/// Objects that a submitter uses.
struct SubmitterParts {
  JobScheduler& scheduler;
  LaunchLog& log;
  const WaitContext& waiting;
  const RetryPolicy& patience;
  const std::function<std::string()>& new_launch;  ///< function that returns a unique token
  /// Function that describes the code of external runs, see LauncherParts. May be empty.
  std::function<std::string()> describe_software = {};
};

/// Error for a job that the batch system rejected. The rejection is recorded in the launch log.
class JobRejected : public base::RunError {
 public:
  using base::RunError::RunError;
};

/// Submitter that writes to the launch log before and after each submission. If the answer to a
/// submission was lost, the submitter searches for the job before it submits the job again.
class Submitter {
 public:
  /// Creates a submitter. After a submission, the batch system may need up to `settle_time_s`
  /// seconds to accept the job. The submitter waits for this time before it searches for the job.
  Submitter(const contract::PlanDir& folder, const SubmitterParts& parts, double settle_time_s);

  /// Submits a part of a job. Returns nullopt if a stop was requested before the batch system
  /// answered. Throws JobRejected or SubmitLimitReached if the batch system rejects the job, and
  /// records the rejection in the launch log. Throws SchedulerUnreachable if the batch system does
  /// not answer.
  std::optional<Submission> submit(const JobPart& part);
  /// Completes the submission `open` of a program that died during the submission. If the batch
  /// system has the job, records its ids. Otherwise submits the job. `job` is null if the plan no
  /// longer contains the job. Has the same results and errors as submit().
  std::optional<Submission> resolve(const Submission& open, const contract::PlannedJob* job);

 private:
  Job describe(const JobPart& part, const std::string& launch) const;
  std::optional<Submission> hand_over(const Submission& open, const Job& job, bool may_be_there);
  std::optional<Submitted> find(const Submission& open, const Job& job);
  std::optional<Submitted> find_for_sure(const Submission& open, const Job& job);
  void wait_until_settled(double asked_at) const;
  Submission note_submitted(const Submission& open, const Submitted& submitted);
  void note_refused(const Submission& open, const std::string& reason);
  int last_launch(const std::string& run_id) const;

  contract::PlanDir folder_;
  SubmitterParts parts_;
  double young_s_;
};

}  // namespace dlscale::runner
