// SPDX-License-Identifier: Apache-2.0
// What OAR's commands print (2.5 and newer), and what they are told in their own notation.
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
  int array_index = 1;  ///< of an array's job, from 1
  JobId repeats;        ///< the job that OAR runs again as this one; empty: none
  JobStatus status;
};

/// What `oarstat -J -f` prints in its output format 2. Throws Unreachable when that is not JSON.
std::vector<ListedJob> parse_jobs(std::string_view text);

/// `state` as oarstat says it, of a job that has not ended. One that is not known counts as
/// running.
JobState waiting_or_running(std::string_view state);

/// The ids in what oarsub prints: of a job, or of each of an array's in the order of its
/// parameters. A refusal has none.
std::vector<JobId> submitted_ids(std::string_view text);
/// Why oarsub refuses.
std::string refusal_in(std::string_view complaint);

/// Name of a job that carries the word that finds it again; OAR takes 100 characters.
std::string job_name(std::string_view name, std::string_view word);
/// The value of the last "#OAR <option> <value>" of a script; empty if there is none.
std::string directive(std::string_view script, std::string_view option);
/// What nodes must be like, instead of what the script says: that, and not to be one of `avoid`.
std::string properties(std::string_view script, const std::vector<std::string>& avoid);
/// The parameters of some of an array's tasks, which are counted from 0.
std::string chosen_parameters(std::string_view all, const std::vector<int>& tasks);

/// Ids in rising order as one, which names an array: 12-14,17.
JobId joined(const std::vector<JobId>& ids);
/// The ids of all jobs of some jobs and arrays.
std::vector<JobId> single_jobs(const std::vector<JobId>& ids);

/// The reason of a failure that is not about jobs which have ended, have not started or are
/// unknown; empty if there is none.
std::string first_objection(std::string_view complaint);

}  // namespace dlscale::runner::oar
