// SPDX-License-Identifier: Apache-2.0
// From a number of GPUs to nodes, ranks and cores of a site's partition.
#pragma once

#include <string>
#include <vector>

#include "config/toml/fields.hpp"
#include "contract/run_spec/run_spec.hpp"
#include "planner/site/site.hpp"
#include "planner/site/wishes.hpp"
#include "predict/band.hpp"

namespace dlscale::planner {

struct Allocation {
  contract::ResourceRequest request;
  int partition = -1;        ///< of Site::partitions; -1 on a site without any (one machine)
  bool one_process = false;  ///< its "ranks" are devices of one process
  bool operator==(const Allocation&) const = default;
};

/// The first partition that takes the job, or the one the study names: the fewest nodes over which
/// the ranks divide evenly, each with room for its ranks (GPUs and cores). Without partitions all
/// ranks share one node, as do the devices of `one_process` everywhere. The time limit is the
/// study's; else follows from `predicted_s`, the expected run time (0: not known), as
/// predict::walltime_s() has it, cut to what the partition allows; else is the site's, cut likewise
/// where the study names the partition. Throws base::SpecError naming the limit of each partition,
/// at the wish that none of them fulfils, or at `gpus`.
Allocation allocate(const Site& site, const ResourceWishes& wishes, const config::Item& gpus,
                    const predict::Band& predicted_s = {}, bool one_process = false);

/// Of those that the study allows the first with nodes for so many ranks, however long they take;
/// null where none has them, and on a site without any. Throws base::SpecError for a partition that
/// the site does not have.
const Partition* roomy_partition(const Site& site, const ResourceWishes& wishes, int gpus);

/// The partition of an allocation with what the study wants otherwise (account, QoS, constraint,
/// GPU type, whole nodes); a default one on a site without any.
Partition partition_for(const Site& site, const ResourceWishes& wishes,
                        const Allocation& allocation);

/// Ranks that a node of the partition has room for.
int ranks_per_full_node(const Site& site, const Partition& partition, int cores_per_rank);

/// GPUs (without GPUs: ranks) that the site charges for a job: all of its nodes where jobs get
/// whole ones.
int charged_gpus(const Partition& partition, const contract::ResourceRequest& request);

/// Nodes x ranks per node over which the same number of ranks divides evenly, the fewest nodes
/// first: what a moldable job may get.
struct Shape {
  int nodes = 1;
  int ranks_per_node = 1;
};
std::vector<Shape> even_shapes(const Partition& partition, int ranks, int most_per_node);

}  // namespace dlscale::planner
