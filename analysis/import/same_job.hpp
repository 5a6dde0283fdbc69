// SPDX-License-Identifier: Apache-2.0
// Finds rows of accounting records that describe the same job, so that the job counts once.
// Monthly dumps overlap in jobs that ran across the end of a month. Concatenated dumps may contain
// a job several times, for example as RUNNING and as COMPLETED. A requeued job has the same number
// and a different start, and each of its starts is an attempt that counts.
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
  std::set<std::string> replaced;     ///< ids of runs in the folder that a later row replaces
};

/// Keeps one row for each attempt of a job: the row whose job has ended, else the row with the
/// longest elapsed time, else the first row. Rows of the plan folder count as earlier than the rows
/// of `runs`. Copies of a whole file are not compared here, because join_trainings() joins them.
DistinctJobs distinct_jobs(std::vector<ImportedRun> runs, const ImportedPlan& before);

}  // namespace dlscale::analysis
