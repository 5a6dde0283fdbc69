// SPDX-License-Identifier: Apache-2.0
// Arranges runs in jobs: single jobs, packed jobs that share a node, and arrays.
// The problem: runs that fill less than a node waste GPUs on sites that charge whole nodes, and
// batch systems limit the number of jobs of a user. The idea: first pack small runs with equal
// needs on shared nodes (co_schedule.hpp), but only where the packed job is not charged more than
// separate jobs. Then combine the remaining runs with equal needs in arrays. The remaining runs
// become single jobs. Names of packed jobs and of array tables contain a digest of their content,
// so that planning again never changes the run that a queued task refers to.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/site/resources.hpp"

namespace dlscale::planner {

/// Needs of a run that the plan does not contain.
struct RunNeeds {
  const Allocation* allocation = nullptr;
  const ResourceSettings* requested = nullptr;  ///< settings that runs of a job must share
};

struct Arrangement {
  std::vector<contract::PlannedJob> jobs;        ///< jobs in the order of their first runs
  std::vector<std::vector<std::uint32_t>> runs;  ///< indices of the runs of each job
  std::vector<std::string> notes;
};

/// Arranges the runs in jobs and assigns each run its job and its share of the GPU-hours.
/// - The GPU-hours of a job are its charged GPUs x its time limit. The runs share the GPU-hours in
///   proportion to GPUs x time.
/// - Runs that fill less than a node are packed. The reserved time of a run is predicted x margin +
///   start-up, or its time limit without a prediction.
/// - A packed job takes a single node for at most the longest time of the partition. Without such a
///   limit, the usual time limit of the site or the longest run's limit applies. A packed job is
///   not charged more than its runs as separate jobs.
/// - The remaining runs with equal needs become arrays of at most max_array_size tasks, a limit of
///   the site.
///
/// `needs` is parallel to `runs`.
///
/// The name of a packed job or of an array's table depends on its content (runs in their order,
/// resources, partition), so a queued task never refers to another run. `existing` are the jobs of
/// an earlier plan. Existing single jobs stay. Existing arrays and packed jobs stay when all of
/// their runs are planned and these runs alone would form the same job again. New jobs contain only
/// the other runs.
Arrangement arrange_jobs(const Site& site, const LaunchSettings& launch,
                         std::span<const RunNeeds> needs, std::span<contract::PlannedRun> runs,
                         std::span<const contract::PlannedJob> existing = {});

}  // namespace dlscale::planner
