// SPDX-License-Identifier: Apache-2.0
// Finds rows of accounting records that describe the same job, so that the job counts once. Two
// monthly dumps both contain a job that ran across the end of a month. Concatenated dumps may
// contain a job several times, for example as RUNNING and as COMPLETED. A requeued job keeps its
// number and starts several times. Each of these starts is an attempt, and all attempts count.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/import/imported_plan.hpp"
#include "analysis/import/reading/log_format.hpp"

namespace dlscale::analysis {

/// Returns the identity of the first job, or nothing for a log without jobs.
std::optional<JobIdentity> identity_of(const std::vector<AccountedJob>& jobs);

struct DistinctJobs {
  std::vector<ImportedRun> runs;      ///< runs that remain
  std::vector<ImportedRun> repeated;  ///< rows that other rows replace
  std::set<std::string> replaced;     ///< ids of the folder's runs that `runs` replace
};

/// Keeps one row for each attempt of a job: the row whose job has ended, else the row with the
/// longest elapsed time, or the first of several such rows. Rows of the plan folder count as
/// earlier than the rows of `runs`. Copies of a whole file are not compared here, because
/// join_trainings() joins them.
DistinctJobs distinct_jobs(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
