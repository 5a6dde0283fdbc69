// SPDX-License-Identifier: Apache-2.0
// Hands jobs to the batch system exactly once: each is noted before and after, and one whose answer
// was lost is looked for before it is handed over again.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/batch/patience.hpp"
#include "runner/status/launch_log.hpp"

namespace dlscale::runner {

/// The runs of a job that are to be submitted together.
struct JobPart {
  const contract::PlannedJob* job = nullptr;
  std::vector<std::string> runs;  ///< in the order of the job
  std::vector<JobId> after = {};
  std::vector<std::string> avoid = {};  ///< host names of nodes not to be given
};

/// How the batch system is told to run it.
Job describe_job(const contract::PlanDir& folder, const JobPart& part, const std::string& launch);

/// What a submitter works with.
struct SubmitterParts {
  JobScheduler& scheduler;
  LaunchLog& log;
  const Waiting& waiting;
  const Patience& patience;
  const std::function<std::string()>& new_launch;  ///< gives a token that nobody has had before
};

/// The batch system does not take a job; noted.
class Refused : public base::RunError {
 public:
  using base::RunError::RunError;
};

class Submitter {
 public:
  /// An intent younger than `young_s` is waited for: the batch system may be about to take the job.
  Submitter(const contract::PlanDir& folder, const SubmitterParts& parts, double young_s);

  /// Submits; empty when told to stop before it was known whether the batch system has the job.
  /// Throws Refused, NoRoom, which is noted as well, and Unreachable.
  std::optional<Submission> submit(const JobPart& part);
  /// The same for what `open` says: submitted, or not, by a program that died. `job` is null when
  /// the plan has it no more.
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
