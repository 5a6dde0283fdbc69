// SPDX-License-Identifier: Apache-2.0
// What every batch system can do for us: take a job, say how jobs are, cancel them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/registry.hpp"
#include "runner/command_runner.hpp"
#include "runner/job_state.hpp"

namespace dlscale::runner {

/// The batch system's name of a job; lasts longer than the program that submitted it.
using JobId = std::string;

struct Job {
  std::string name;              ///< the plan's
  std::filesystem::path script;  ///< absolute; tells jobs of different plans apart
  std::filesystem::path folder;  ///< working directory
  std::filesystem::path out, err;
  int cores = 1;  ///< on all nodes together
};

struct JobStatus {
  JobState state = JobState::Queued;
  std::optional<int> exit_code;  ///< of the script, once known
  int signal = 0;                ///< that ended the script; 0 = none
  std::string reason;            ///< one line for people; may be empty
};

class JobScheduler {
 public:
  virtual ~JobScheduler() = default;
  /// Throws base::RunError when the job is refused or the batch system does not answer.
  virtual JobId submit(const Job& job) = 0;
  /// The id under which the batch system already has a job that has not ended, be it from another
  /// process or from a submission whose answer was lost; from then on `status` knows it.
  virtual std::optional<JobId> find(const Job& job) = 0;
  /// One answer per id, in their order, from one question to the batch system.
  virtual std::vector<JobStatus> status(const std::vector<JobId>& ids) = 0;
  /// Asks the jobs to end; asked a second time, they are killed. `status` says when they ended.
  virtual void cancel(const std::vector<JobId>& ids) = 0;
};

/// What adaptors are made of.
struct SchedulerSetup {
  CommandRunner& commands;
  const base::Clock& clock;
  int cores = 1;  ///< of this machine
};

struct JobSchedulerEntry {
  const char* name;  ///< as sites say it in `scheduler`
  const char* summary;
  std::unique_ptr<JobScheduler> (*make)(const SchedulerSetup& setup);
};

base::Table<JobSchedulerEntry> job_scheduler_table();

}  // namespace dlscale::runner
