// SPDX-License-Identifier: Apache-2.0
// Defines the interface of all job schedulers: submit jobs, query their status and cancel them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "runner/batch/command_runner.hpp"
#include "runner/batch/job_state.hpp"
#include "runner/batch/retry_policy.hpp"

namespace dlscale::runner {

/// Identifier of a job in the batch system. The identifier outlives the program that submitted the
/// job.
using JobId = std::string;

struct Job {
  std::string name;  ///< name of the job in the plan
  /// Token of this submission, made of letters and digits, and globally unique. The batch system
  /// stores the token with the job. If the answer to a submission is lost, the job can be found by
  /// its token. The script receives the token as its first argument. In OAR, the token is the end
  /// of $OAR_JOB_NAME, after a full stop.
  std::string launch;
  std::filesystem::path script;  ///< absolute path, which distinguishes jobs of different plans
  std::filesystem::path folder;  ///< working directory
  std::filesystem::path out, err;
  int cores = 1;             ///< number of cores on all nodes together
  int gpus = 0;              ///< number of GPUs on all nodes together
  std::vector<int> tasks;    ///< array tasks to run, numbered from 0 in the script
  int throttle = 0;          ///< largest number of concurrent array tasks, 0 = no limit
  std::vector<JobId> after;  ///< jobs that must have ended, with any outcome, before the start
  std::vector<std::string> avoid;  ///< host names of nodes that the job must not use
  /// Descriptors that the submitting command inherits and holds open until the command ends. One of
  /// the descriptors may hold a lock. The lock then prevents other programs from searching for the
  /// job while the command may still submit the job.
  std::vector<int> keep_open = {};
};

/// Identifiers that the batch system assigned to a submitted job.
struct Submitted {
  JobId id;                  ///< id of the job or of the whole array
  std::vector<JobId> tasks;  ///< ids of the array tasks, in the order of Job::tasks
};

struct JobStatus {
  JobState state = JobState::Queued;
  std::optional<int> exit_code;  ///< exit code of the script, if known
  int signal = 0;                ///< signal that ended the script, 0 = none
  std::string reason;            ///< one-line explanation for the user, may be empty
  JobId continued_as = {};       ///< id of the new job if the batch system runs this job again
  double started_at = 0;         ///< Unix time in s, 0 = unknown or not started
  double ended_at = 0;
  std::vector<std::string> nodes = {};  ///< host names of the allocated nodes
};

/// Resources that a job used, as the accounting of the batch system reports them.
struct JobUsage {
  std::optional<double> elapsed_s;
  std::optional<double> cpu_s;  ///< CPU time of all processes of the job
  /// Estimated memory of the node that used the most memory. In SLURM, the estimate is the memory
  /// of the largest task times the number of tasks per node. On the local machine, the estimate is
  /// the memory of the largest process.
  std::optional<std::int64_t> peak_memory_bytes;
};

class JobScheduler {
 public:
  virtual ~JobScheduler() = default;
  /// Submits a job. Throws base::RunError if the batch system rejects the job, SubmitLimitReached
  /// if the rejection is temporary, and SchedulerUnreachable if the outcome is unknown. All
  /// functions below throw SchedulerUnreachable if the batch system does not answer.
  virtual Submitted submit(const Job& job) = 0;
  /// Returns the job that was submitted with the token `job.launch`, as long as the batch system
  /// knows the job. The caller may not know the job's id, because another process submitted the job
  /// or because the answer to the submission was lost.
  virtual std::optional<Submitted> find(const Job& job) = 0;
  /// Returns one status per id, in the order of `ids`. An id names a job or an array task. A single
  /// query to the batch system covers all ids, and at most one further query covers jobs that have
  /// left the queue. The state Lost means that the batch system no longer knows the job.
  virtual std::vector<JobStatus> status(const std::vector<JobId>& ids) = 0;
  /// Returns one usage per id, in the order of `ids`. Fields are empty if the batch system has no
  /// accounting. They may also be empty for some seconds after the end of a job.
  virtual std::vector<JobUsage> usage(const std::vector<JobId>& ids) = 0;
  /// Requests the end of the jobs. A second request kills the jobs. status() reports when the jobs
  /// have ended.
  virtual void cancel(const std::vector<JobId>& ids) = 0;
  /// Prevents waiting jobs from starting until release() is called.
  virtual void hold(const std::vector<JobId>& ids) = 0;
  virtual void release(const std::vector<JobId>& ids) = 0;
  /// Sends a signal (SIGUSR1, …) to the scripts of running jobs.
  virtual void signal(const std::vector<JobId>& ids, int number) = 0;
};

/// Cores and GPUs of this machine that its jobs may use.
struct Machine {
  int cores = 1;
  std::vector<std::string> gpus = {};  ///< in the notation of $CUDA_VISIBLE_DEVICES
};
Machine this_machine();

/// Objects and settings that a job scheduler needs.
struct SchedulerSetup {
  CommandRunner& commands;
  const base::Clock& clock;
  int cores = 1;     ///< number of cores of this machine
  std::string user;  ///< name of the user whose jobs are queried
  /// GPUs of this machine, in the notation of $CUDA_VISIBLE_DEVICES.
  std::vector<std::string> gpus = {};
  double patience_s = 60;  ///< timeout of a batch system's command in s
};

/// Returns the setup for this machine and the user of this program.
SchedulerSetup scheduler_setup(CommandRunner& commands, const base::Clock& clock);

struct JobSchedulerEntry {
  const char* name;  ///< value of `scheduler` in site files
  const char* summary;
  std::unique_ptr<JobScheduler> (*make)(const SchedulerSetup& setup);
};

base::Table<JobSchedulerEntry> job_scheduler_table();

}  // namespace dlscale::runner
