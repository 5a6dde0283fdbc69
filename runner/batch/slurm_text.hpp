// SPDX-License-Identifier: Apache-2.0
// What SLURM's commands print (20.02 and newer), and what they are told in their own notation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "runner/batch/job_scheduler.hpp"

namespace dlscale::runner::slurm {

/// What `squeue --Format` and `sacct --format` are asked for, for the parsers below. Times are
/// expected as seconds since 1970: $SLURM_TIME_FORMAT is %s.
extern const char* const kQueueFormat;
extern const char* const kBookFormat;
extern const char* const kUsageFormat;
extern const char* const kCommentFormat;

struct QueuedJob {
  JobId id;     ///< 12, or of an array's task 12_3
  JobId whole;  ///< 12
  bool is_task = false;
  std::string comment;
  JobStatus status;
};

/// A line for each job and each task.
std::vector<QueuedJob> parse_queue(std::string_view text);
/// By id. Lines of other forms, which arrays have before their tasks are known, are passed over.
std::map<JobId, JobStatus> parse_books(std::string_view text);
/// By id of the job; its steps are part of it.
std::map<JobId, JobUsage> parse_usage(std::string_view text);
/// What SLURM refuses it keeps for a while as a job that failed without having had nodes.
bool was_refused(JobState state, bool has_no_nodes);
/// The id of the job or whole array with this word in its comment; empty if there is none.
JobId find_comment(std::string_view text, std::string_view word);

/// `word` as squeue and sacct say it: RUNNING, "CANCELLED by 1000". One that is not known counts as
/// that of a running job.
JobState state_of(std::string_view word);

/// The id in what `sbatch --parsable` prints: 12 or 12;cluster. Empty if there is none.
JobId submitted_id(std::string_view text);
/// The jobs of a list of ids, without the tasks, each once.
std::vector<JobId> whole_jobs(const std::vector<JobId>& ids);
/// --array of the tasks, in rising order: 0-3,7%2.
std::string array_option(std::vector<int> tasks, int throttle);
/// --dependency that adds to the one in the script, which it replaces.
std::string dependency_option(std::string_view script, const std::vector<JobId>& after);
/// "a[01-02,7],b" as names.
std::vector<std::string> hosts_in(std::string_view list);

/// True for the complaint of a command that could not talk to SLURM, as opposed to a refusal.
bool says_unreachable(std::string_view complaint);
/// True for the refusal of a job that is one too many, as far as SLURM says it: the words are those
/// of a job that is too large, unless a line above names the limit.
bool says_too_many(std::string_view complaint);
/// The reason of a failure that is not about jobs which have ended, have not started or are
/// unknown; empty if there is none.
std::string first_objection(std::string_view complaint);

}  // namespace dlscale::runner::slurm
