// SPDX-License-Identifier: Apache-2.0
// Parses the output of SLURM's commands (20.02 and newer), and formats their arguments.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/batch/job_scheduler.hpp"

namespace dlscale::runner::slurm {

/// Fields that the parsers below expect in the output of `squeue --Format` and `sacct --format`.
/// Times must be in seconds since 1970, so $SLURM_TIME_FORMAT must be %s.
extern const char* const kQueueFormat;
extern const char* const kBookFormat;
extern const char* const kUsageFormat;
extern const char* const kCommentFormat;

struct QueuedJob {
  JobId id;     ///< job id such as 12, or 12_3 for an array task
  JobId whole;  ///< id of the job or of the whole array, such as 12
  bool is_task = false;
  std::string comment;
  JobStatus status;
};

/// Parses the output of squeue. Returns an entry for each job and each array task.
std::vector<QueuedJob> parse_queue(std::string_view text);
/// Parses the output of sacct. Returns the status of each job by id. Skips lines with other ids,
/// such as 12_[3-7], which sacct prints for an array before its tasks are known.
std::map<JobId, JobStatus> parse_books(std::string_view text);
/// Parses the output of sacct. Returns the usage of each job by id. The usage includes the job's
/// steps.
std::map<JobId, JobUsage> parse_usage(std::string_view text);
/// Returns whether SLURM rejected the job. SLURM lists a rejected job for a while as a failed job
/// without nodes.
bool was_refused(JobState state, bool has_no_nodes);
/// Returns the id of the job or whole array whose comment contains the token `word`, or an empty
/// id.
JobId find_comment(std::string_view text, std::string_view word);

/// Returns the state for a state name in the output of squeue or sacct, such as "RUNNING" or
/// "CANCELLED by 1000". A job with an unknown state name counts as running.
JobState state_of(std::string_view word);

/// Returns the id in the output of `sbatch --parsable`: 12 or 12;cluster. Returns an empty id if
/// there is none.
JobId submitted_id(std::string_view text);
/// Returns the ids of the whole jobs to which the jobs and array tasks in `ids` belong, each id
/// once.
std::vector<JobId> whole_jobs(const std::vector<JobId>& ids);
/// Returns the option --array for the tasks, in rising order: --array=0-3,7%2.
std::string array_option(std::vector<int> tasks, int throttle);
/// Returns the option --dependency with the jobs in `after` and with the dependency in the script.
/// The option must repeat the dependency in the script, because it replaces that dependency.
std::string dependency_option(std::string_view script, const std::vector<JobId>& after);
/// Returns the host names in a list such as "a[01-02,7],b".
std::vector<std::string> hosts_in(std::string_view list);

/// Returns whether the error message means that the command could not contact SLURM. Returns false
/// if SLURM answered and rejected the command.
bool says_unreachable(std::string_view complaint);
/// Returns whether the error message means that the user has too many jobs. SLURM prints the same
/// message for a job that is too large, unless a line above it names the limit.
bool says_too_many(std::string_view complaint);
/// Returns the reason why a command failed. Ignores messages about jobs that have ended, have not
/// started or are unknown. Returns an empty string if there is no other message.
std::string first_objection(std::string_view complaint);

}  // namespace dlscale::runner::slurm
