// SPDX-License-Identifier: Apache-2.0
// Parses the output of OAR's commands (2.5 and newer), and formats their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/batch/job_scheduler.hpp"

namespace dlscale::runner::oar {

struct ListedJob {
  JobId id;
  std::string name;
  int array_index = 1;  ///< index of the job in its array, from 1
  JobId repeats;        ///< id of the job that OAR runs again as this job, or empty
  JobStatus status;
};

/// Returns the jobs that `oarstat -J -f` prints in its output format 2. Throws SchedulerUnreachable
/// if the text is not JSON.
std::vector<ListedJob> parse_jobs(std::string_view text);

/// Returns the state of a job that has not ended, from the state name in oarstat. An unknown name
/// counts as running.
JobState waiting_or_running(std::string_view state);

/// Returns the ids in the output of oarsub: the id of a job, or the ids of an array's jobs in the
/// order of its parameters. Returns an empty list if OAR rejected the job.
std::vector<JobId> submitted_ids(std::string_view text);
/// Returns the reason why oarsub rejected a job.
std::string refusal_in(std::string_view complaint);

/// Returns the name of a job that ends with `word`, by which the job can be found. OAR limits names
/// to 100 characters.
std::string job_name(std::string_view name, std::string_view word);
/// Returns the value of the last "#OAR <option> <value>" of a script, or an empty string.
std::string directive(std::string_view script, std::string_view option);
/// Returns the condition on nodes that replaces the condition in the script. The new condition adds
/// the exclusion of the nodes in `avoid`.
std::string properties(std::string_view script, const std::vector<std::string>& avoid);
/// Returns the parameters of the selected tasks of an array. Tasks are counted from 0. Throws
/// base::RunError for a task that the array does not have.
std::string chosen_parameters(std::string_view all, const std::vector<int>& tasks);

/// Joins ids in rising order to the id of an array: 12-14,17.
JobId joined(const std::vector<JobId>& ids);
/// Returns the ids of all single jobs in a list of jobs and arrays.
std::vector<JobId> single_jobs(const std::vector<JobId>& ids);

/// Returns the reason why a command failed. Ignores messages about jobs that have ended, have not
/// started or are unknown. Returns an empty string if no other message is left.
std::string first_objection(std::string_view complaint);

}  // namespace dlscale::runner::oar
