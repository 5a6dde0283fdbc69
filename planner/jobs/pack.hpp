// SPDX-License-Identifier: Apache-2.0
// From runs to jobs: single, packed into one node, or tasks of arrays.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "contract/plan/plan.hpp"
#include "planner/site/resources.hpp"

namespace dlscale::planner {

/// What a run needs, beside what the plan says of it.
struct RunNeeds {
  const Allocation* allocation = nullptr;
  const ResourceWishes* wishes = nullptr;  ///< runs share a job only if these ask for the same
};

struct Arrangement {
  std::vector<contract::PlannedJob> jobs;        ///< in the order of their first runs
  std::vector<std::vector<std::uint32_t>> runs;  ///< of each job: indices of the runs
  std::vector<std::string> notes;
};

/// Makes the jobs and tells each run its job and its share of the GPU-hours: those of a job are
/// its charged GPUs x its time limit, and runs share them by GPUs x time. Packed are runs that
/// fill less than a node, by the time they are to be given: predicted x margin + start-up, else
/// their time limit; a packed job takes one node for at most the partition's longest time (without
/// one: the site's usual, or its longest run's), and is not charged more than its runs would be
/// alone. What is left and has the same needs becomes
/// arrays of at most the site's max_array_size. `needs` is parallel to `runs`.
///
/// The name of a packed job or of an array's table tells its content (runs in their order,
/// resources, partition), so what a queued task refers to never becomes another run. Of the
/// `existing` jobs, those of an earlier plan, single ones stay, as do the arrays and packed jobs
/// whose runs are all there and alone would make the same job again; new jobs are made of the other
/// runs only.
Arrangement arrange_jobs(const Site& site, const LaunchWishes& launch,
                         std::span<const RunNeeds> needs, std::span<contract::PlannedRun> runs,
                         std::span<const contract::PlannedJob> existing = {});

}  // namespace dlscale::planner
