// SPDX-License-Identifier: Apache-2.0
// What every batch system can do for us: take a job, say how jobs are, cancel them.
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
#include "runner/batch/patience.hpp"

namespace dlscale::runner {

/// The batch system's name of a job; lasts longer than the program that submitted it.
using JobId = std::string;

struct Job {
  std::string name;  ///< the plan's
  /// Names this submission, in letters and digits, unlike any other anywhere. The batch system
  /// keeps it with the job, so that a submission whose answer was lost can be found. The script is
  /// told as well: by its first argument, in OAR by the end of $OAR_JOB_NAME, behind a full stop.
  std::string launch;
  std::filesystem::path script;  ///< absolute; tells jobs of different plans apart
  std::filesystem::path folder;  ///< working directory
  std::filesystem::path out, err;
  int cores = 1;             ///< on all nodes together
  int gpus = 0;              ///< likewise
  std::vector<int> tasks;    ///< of an array: the numbers of those to run, from 0 in the script
  int throttle = 0;          ///< of an array: tasks at a time; 0 = no limit
  std::vector<JobId> after;  ///< it starts when these have ended, however they did
  std::vector<std::string> avoid;  ///< host names of nodes not to be given
  /// Descriptors that whatever program submits the job holds open until it ends: a lock, so that
  /// nobody asks for the job as long as it may still come.
  std::vector<int> keep_open = {};
};

/// What the batch system calls a job it took.
struct Submitted {
  JobId id;                  ///< the job's, or the whole array's
  std::vector<JobId> tasks;  ///< of an array: in the order of Job::tasks
};

struct JobStatus {
  JobState state = JobState::Queued;
  std::optional<int> exit_code;  ///< of the script, once known
  int signal = 0;                ///< that ended the script; 0 = none
  std::string reason;            ///< one line for people; may be empty
  JobId continued_as = {};       ///< the batch system runs it again, under this id
  double started_at = 0;         ///< unix time; 0 = not yet, or not known; so below
  double ended_at = 0;
  std::vector<std::string> nodes = {};  ///< host names, once it has some
};

/// What a job took, by the batch system's books.
struct JobUsage {
  std::optional<double> elapsed_s;
  std::optional<double> cpu_s;  ///< of all its processes
  /// Of the node that used most, as near as is known: in SLURM a task's largest times the tasks of
  /// a node, on this machine the largest process.
  std::optional<std::int64_t> peak_memory_bytes;
};

class JobScheduler {
 public:
  virtual ~JobScheduler() = default;
  /// Throws base::RunError when the job is refused, NoRoom when that is for the time being,
  /// Unreachable when it is not known. All that follows throws Unreachable where there is no
  /// answer.
  virtual Submitted submit(const Job& job) = 0;
  /// The job that was submitted under `job.launch`, as long as the batch system knows it, be it
  /// from another process or from a submission whose answer was lost.
  virtual std::optional<Submitted> find(const Job& job) = 0;
  /// One answer per id (of a job or of an array's task), in their order, from one question to the
  /// batch system, however many they are; a second one at most where some have left its queue.
  /// Lost: it does not know them any more.
  virtual std::vector<JobStatus> status(const std::vector<JobId>& ids) = 0;
  /// Likewise; empty fields where no books are kept, and some seconds long where these lag behind.
  virtual std::vector<JobUsage> usage(const std::vector<JobId>& ids) = 0;
  /// Asks the jobs to end; asked a second time, they are killed. `status` says when they ended.
  virtual void cancel(const std::vector<JobId>& ids) = 0;
  /// Keeps waiting jobs from starting, until released.
  virtual void hold(const std::vector<JobId>& ids) = 0;
  virtual void release(const std::vector<JobId>& ids) = 0;
  /// Sends a signal (SIGUSR1, …) to the scripts of running jobs.
  virtual void signal(const std::vector<JobId>& ids, int number) = 0;
};

/// What adaptors are made of.
struct SchedulerSetup {
  CommandRunner& commands;
  const base::Clock& clock;
  int cores = 1;     ///< of this machine
  std::string user;  ///< whose jobs are asked for
  /// Of this machine, as $CUDA_VISIBLE_DEVICES says them.
  std::vector<std::string> gpus = {};
  double patience_s = 60;  ///< with a command of a batch system
};

/// Of the machine and the user that this program has.
SchedulerSetup scheduler_setup(CommandRunner& commands, const base::Clock& clock);

struct JobSchedulerEntry {
  const char* name;  ///< as sites say it in `scheduler`
  const char* summary;
  std::unique_ptr<JobScheduler> (*make)(const SchedulerSetup& setup);
};

base::Table<JobSchedulerEntry> job_scheduler_table();

}  // namespace dlscale::runner
