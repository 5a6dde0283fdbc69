// SPDX-License-Identifier: Apache-2.0
// Finds rows of batch systems' books that describe one job, so that it counts once.
// Monthly dumps share the jobs that ran over the end of a month, and dumps that were joined by cat
// may have each job several times, once as RUNNING and once as COMPLETED. A job that was requeued
// has the same number and another start, and each of its starts is an attempt that counts.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/imported_plan.hpp"
#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

/// Returns the identity of the first job; nothing for a log without jobs.
std::optional<JobIdentity> identity_of(const std::vector<AccountedJob>& jobs);

struct DistinctJobs {
  std::vector<ImportedRun> runs;      ///< without the rows that others replace
  std::vector<ImportedRun> repeated;  ///< those rows
  std::set<std::string> replaced;     ///< ids of runs in the folder that a later row replaces
};

/// Keeps one row for each attempt of a job: the row whose job has ended, else the row with the
/// longest elapsed time, else the first. Rows of the folder come before those of `runs`. Copies of
/// a whole file are left to join_trainings.
DistinctJobs distinct_jobs(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
