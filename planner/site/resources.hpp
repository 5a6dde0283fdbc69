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
  bool one_process = false;  ///< true when ranks are devices of a single process
  bool operator==(const Allocation&) const = default;
};

/// Returns the allocation on the first partition that takes the job, or on the partition that the
/// study names.
/// - The allocation uses the fewest nodes over which the ranks divide evenly. Each node has room
///   for its ranks (GPUs and cores). On a site without partitions (a single machine), all ranks
///   share a node. With `one_process`, the devices share a node on every site.
/// - The study's time limit counts first. Otherwise the time limit follows from `predicted_s`, the
///   expected run time (0: unknown), by predict::walltime_s(), and is reduced to the limit of the
///   partition. Without a prediction the site's time limit applies. This limit is reduced in the
///   same way when the study names the partition.
///
/// Throws base::SpecError with the reason of each partition. The error is at the setting of the
/// study that all partitions reject, or at `gpus`.
Allocation allocate(const Site& site, const ResourceSettings& requested, const config::Item& gpus,
                    const predict::Band& predicted_s = {}, bool one_process = false);

/// Returns the first partition, among the partitions that the study allows, that has nodes for
/// `gpus` ranks. Ignores time limits. Returns null when no partition has such nodes, and on a site
/// without partitions. Throws base::SpecError for a partition that the site does not have.
const Partition* roomy_partition(const Site& site, const ResourceSettings& requested, int gpus);

/// Returns the partition of an allocation with the study's settings (account, QoS, constraint, GPU
/// type, whole nodes). Returns a default partition on a site without partitions.
Partition partition_for(const Site& site, const ResourceSettings& requested,
                        const Allocation& allocation);

/// Returns the number of ranks that fit on a node of the partition.
int ranks_per_full_node(const Site& site, const Partition& partition, int cores_per_rank);

/// Returns the number of GPUs (without GPUs: ranks) that the site charges for a job. Where jobs get
/// whole nodes, the site charges all GPUs of the nodes.
int charged_gpus(const Partition& partition, const contract::ResourceRequest& request);

/// Nodes x ranks per node of a job. even_shapes() returns the shapes over which the ranks divide
/// evenly, fewest nodes first. A moldable job may get any of these shapes.
struct Shape {
  int nodes = 1;
  int ranks_per_node = 1;
};
std::vector<Shape> even_shapes(const Partition& partition, int ranks, int most_per_node);

}  // namespace dlscale::planner
