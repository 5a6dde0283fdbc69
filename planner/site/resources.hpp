// SPDX-License-Identifier: Apache-2.0
// Turns a number of GPUs into nodes, ranks and cores of a site's partition.
#pragma once

#include <string>
#include <vector>

#include "config/toml/fields.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/site/job_settings.hpp"
#include "planner/site/site.hpp"
#include "predict/band.hpp"

namespace dlscale::planner {

struct Allocation {
  contract::ResourceRequest request;
  int partition = -1;        ///< index in Site::partitions; -1 on a site without partitions
  bool one_process = false;  ///< true when the ranks of a run are devices of a single process
  bool operator==(const Allocation&) const = default;
};

/// Returns the allocation on the first partition that can run the job. If the study names a
/// partition, only that partition is tried.
/// - The allocation uses the fewest nodes over which the ranks divide evenly. Each node must have
///   enough GPUs and cores for its ranks. On a site without partitions (a single machine), all
///   ranks share one node. With `one_process`, all devices must be on one node on every site.
/// - If the study sets a time limit, the allocation has this limit.
/// - Otherwise, if `predicted_s` is above 0, the time limit is predict::walltime_s() of this
///   expected run time, reduced to the maximum of the partition.
/// - Without a prediction, the allocation has the default time limit of the site. This limit is
///   reduced to the maximum of the partition only if the study names the partition.
///
/// If no partition can run the job, throws base::SpecError with the reason of each partition. If
/// all partitions conflict with the same setting of the study, the error is at this setting.
/// Otherwise the error is at `gpus`.
Allocation allocate(const Site& site, const ResourceSettings& requested, const config::Item& gpus,
                    const predict::Band& predicted_s = {}, bool one_process = false);

/// Returns the first partition that has nodes for `gpus` ranks. Considers only partitions that the
/// study allows, and ignores time limits. Returns null if no partition has such nodes, and on a
/// site without partitions. Throws base::SpecError for a partition that the site does not have.
const Partition* roomy_partition(const Site& site, const ResourceSettings& requested, int gpus);

/// Returns a copy of the partition of an allocation in which the study's settings (account, QoS,
/// constraint, GPU type, whole nodes) replace those of the site. Returns a default partition on a
/// site without partitions.
Partition partition_for(const Site& site, const ResourceSettings& requested,
                        const Allocation& allocation);

/// Returns the number of ranks that fit on a node of the partition.
int ranks_per_full_node(const Site& site, const Partition& partition, int cores_per_rank);

/// Returns the number of GPUs that the site charges for a job. If jobs get whole nodes, the site
/// charges all GPUs of the nodes. Without GPUs, returns the number of ranks.
int charged_gpus(const Partition& partition, const contract::ResourceRequest& request);

/// Shape of a job: nodes x ranks per node. even_shapes() returns the shapes over which the ranks
/// divide evenly, fewest nodes first. OAR may start a moldable job in any of these shapes.
struct Shape {
  int nodes = 1;
  int ranks_per_node = 1;
};
std::vector<Shape> even_shapes(const Partition& partition, int ranks, int most_per_node);

}  // namespace dlscale::planner
