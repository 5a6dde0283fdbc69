// SPDX-License-Identifier: Apache-2.0
// Arranges runs in jobs: single jobs, packed jobs that share a node, and arrays.
// The problem: runs that fill less than a node waste GPUs on sites that charge whole nodes, and
// batch systems limit the number of jobs of a user. The idea has three steps:
// - Small runs with equal needs share nodes in packed jobs (co_schedule.hpp), if the packed job is
//   not charged more than separate jobs.
// - Other runs with equal needs form job arrays.
// - All remaining runs become single jobs.
// The names of packed jobs and of array tables contain a digest of their content. A task that is
// already queued therefore still refers to the same run after the study has been planned again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/site/resources.hpp"

namespace dlscale::planner {

/// Needs of a run that contract::PlannedRun does not contain.
struct RunNeeds {
  const Allocation* allocation = nullptr;
  /// Resource settings of the run. Only runs with equal settings may share a job.
  const ResourceSettings* requested = nullptr;
};

/// Order in which runs start.
enum class StartOrder {
  repetitions,  ///< the first repetition of all points, then the second repetition, and so on
  points,       ///< all repetitions of the first point, then those of the second, and so on
};

struct Arrangement {
  /// Jobs in the order in which they start: by the run of each job that comes first in StartOrder.
  std::vector<contract::PlannedJob> jobs;
  std::vector<std::vector<std::uint32_t>> runs;  ///< for each job, the indices of its runs
  std::vector<std::string> notes;
};

/// Arranges the runs in jobs, and assigns each run its job and its share of the GPU-hours.
/// - The GPU-hours of a job are its charged GPUs x its time limit. The runs of a job share the
///   GPU-hours in proportion to GPUs x reserved time.
/// - The reserved time of a run is the larger of predicted time x margin and the upper edge of the
///   prediction, plus start-up. It is at most the time limit of the run. A run without a prediction
///   reserves its time limit.
/// - Runs that fill less than a node are packed. A packed job uses a single node for at most the
///   maximum time of the partition. If the partition has no maximum, the job takes at most the
///   default time limit of the site, or the longest reserved time if that is longer.
/// - A packed job is not charged more than its runs would be as separate jobs.
/// - The remaining runs with equal needs become arrays. A site accepts at most max_array_size tasks
///   per array.
///
/// `needs[i]` belongs to `runs[i]`.
///
/// `existing` are the jobs of an earlier plan. Existing single jobs stay. An existing array or
/// packed job stays if all of its runs are planned and these runs alone would form the same job
/// again. New jobs contain only the other runs. The name of a packed job or of an array's table
/// depends on its content (runs in their order, resources, partition), so a queued task never
/// refers to another run.
///
/// `order` determines the order of the jobs and of the tasks in a new array. A new packed job
/// starts long runs first, and runs of equal length in this order. Existing arrays and packed jobs
/// keep their order. The order of `runs` does not change.
Arrangement arrange_jobs(const Site& site, const LaunchSettings& launch,
                         std::span<const RunNeeds> needs, std::span<contract::PlannedRun> runs,
                         std::span<const contract::PlannedJob> existing = {},
                         StartOrder order = StartOrder::repetitions);

}  // namespace dlscale::planner
