// SPDX-License-Identifier: Apache-2.0
// The jobs in the batch system's hands: followed by asking for all of them at once, each change
// noted when it is seen.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "runner/batch/job_scheduler.hpp"
#include "runner/status/cancel_wishes.hpp"
#include "runner/status/launch_log.hpp"
#include "runner/status/run_end.hpp"

namespace dlscale::runner {

struct RunReport {
  std::string run_id;
  RunEnd end;
  double wall_s = 0;         ///< since its job was seen running
  int earlier_launches = 0;  ///< number of its last launch before the submission
};

/// A job or a task of an array.
struct Flight {
  std::string launch;
  std::string job;
  JobId whole;  ///< of the array; else as `id`
  JobId id;
  std::vector<SubmittedRun> runs;  ///< those that have not ended
  bool shared = false;             ///< several runs began with it
  bool running = false;
  bool cancelled = false;      ///< its end was wished for
  bool told_to_end = false;    ///< the batch system was asked for it here
  double running_since_s = 0;  ///< steady time
  JobStatus last;              ///< the batch system's last answer
};

class Flights {
 public:
  /// Without `log` nothing is noted.
  Flights(const contract::Plan& plan, const contract::PlanDir& folder, JobScheduler& scheduler,
          const base::Clock& clock, LaunchLog* log);

  /// From now on follows what has not ended of a submission that the batch system has.
  void adopt(const Submission& submission);
  const std::vector<Flight>& all() const { return flights_; }
  bool has_job(const std::string& job) const { return jobs_.contains(job); }
  bool has_run(const std::string& run_id) const { return runs_.contains(run_id); }
  /// What jobs that come after a job are to wait for.
  std::vector<JobId> ids_of(const std::string& job) const;

  /// One question about all; gives the runs that have ended. Throws Unreachable.
  std::vector<RunReport> look();
  /// Asks for the end of all; a second time kills them. Throws Unreachable.
  void cancel_all();
  /// Settles all as cancelled, whether they are or not.
  std::vector<RunReport> give_up();

 private:
  void hear_wishes();
  void end_wished(const std::vector<std::size_t>& waiting);
  void note(contract::LaunchRecord record);
  contract::LaunchRecord record_of(const Flight& flight, const char* event) const;
  void take_answer(Flight& flight, JobStatus status);
  void note_starts();
  std::vector<RunReport> settle(const std::vector<Flight>& ended);
  RunReport settle_run(const Flight& flight, const SubmittedRun& run, const JobUsage& usage);
  std::vector<JobUsage> usage_of(const std::vector<Flight>& ended);
  void forget(const std::vector<Flight>& ended);

  contract::PlanDir folder_;
  JobScheduler& scheduler_;
  const base::Clock& clock_;
  LaunchLog* log_;
  CancelWishes wishes_file_;
  std::set<CancelWish> wishes_;
  std::unordered_map<std::string, const contract::PlannedRun*> planned_;
  std::vector<Flight> flights_;
  std::vector<std::size_t> just_started_;  ///< places in flights_
  std::multiset<std::string> jobs_;        ///< of flights_
  std::set<std::string> runs_;             ///< likewise
};

}  // namespace dlscale::runner
