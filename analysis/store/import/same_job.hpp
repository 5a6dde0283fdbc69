// SPDX-License-Identifier: Apache-2.0
// Finds rows of batch systems' books that describe one job, so that it counts once.
//
// Monthly dumps share the jobs that ran over the end of a month, and dumps that were joined by cat
// may have each job several times, once as RUNNING and once as COMPLETED. A job that was requeued
// has the same number and another start, and each of its starts is an attempt that counts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/store/formats/accounted_job.hpp"
#include "analysis/store/import/imported_plan.hpp"

namespace dlscale::analysis {

/// Returns what tells a job from others; nothing for a log that has no job.
std::optional<JobIdentity> identity_of(const std::vector<AccountedJob>& jobs);

struct DistinctJobs {
  std::vector<ImportedRun> runs;      ///< without the rows that others replace
  std::vector<ImportedRun> repeated;  ///< those rows
  std::set<std::string> replaced;     ///< ids of runs in the folder that a later row replaces
};

/// Of rows on one attempt of a job the one whose job has ended stays, else the one that ran longer,
/// else the first; rows of the folder come before those of `runs`. Copies of a whole file are left
/// to join_trainings.
DistinctJobs distinct_jobs(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
