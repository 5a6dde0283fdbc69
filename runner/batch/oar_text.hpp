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
  JobId repeats;        ///< id of the job that OAR repeats as this job, or empty
  JobStatus status;
};

/// Returns the jobs that `oarstat -J -f` prints in its output format 2. Throws SchedulerUnreachable
/// if the text is not JSON.
std::vector<ListedJob> parse_jobs(std::string_view text);

/// Returns the state of a job that has not ended, from the state name in the output of oarstat. A
/// job with an unknown state name counts as running.
JobState waiting_or_running(std::string_view state);

/// Returns the job ids in the output of oarsub. For an array, these are the ids of its jobs in the
/// order of the parameters. Returns an empty list if OAR rejected the job.
std::vector<JobId> submitted_ids(std::string_view text);
/// Returns the reason why oarsub rejected a job.
std::string refusal_in(std::string_view complaint);

/// Returns a job name that ends with the token `word`. dlscale finds the job by this name. OAR
/// limits names to 100 characters.
std::string job_name(std::string_view name, std::string_view word);
/// Returns the value in the last line "#OAR <option> <value>" of a script, or an empty string.
std::string directive(std::string_view script, std::string_view option);
/// Returns the condition on nodes for oarsub's -p: the condition in the script and the exclusion of
/// the nodes in `avoid`. The result repeats the condition in the script, because oarsub ignores
/// that condition if -p is given.
std::string properties(std::string_view script, const std::vector<std::string>& avoid);
/// Returns the lines of the parameter file `all` that belong to the selected tasks of an array.
/// Tasks are counted from 0. Throws base::RunError for a task that the array does not have.
std::string chosen_parameters(std::string_view all, const std::vector<int>& tasks);

/// Returns the id of an array from the ids of its jobs, which must be in rising order: 12-14,17.
JobId joined(const std::vector<JobId>& ids);
/// Returns the ids of all single jobs in a list that may also contain ids of arrays.
std::vector<JobId> single_jobs(const std::vector<JobId>& ids);

/// Returns the reason why a command failed. Ignores messages about jobs that have ended, have not
/// started or are unknown. Returns an empty string if there is no other message.
std::string first_objection(std::string_view complaint);

}  // namespace dlscale::runner::oar
