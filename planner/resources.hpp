// SPDX-License-Identifier: Apache-2.0
// From a number of GPUs to nodes, ranks and cores of a site's partition.
#pragma once

#include "contract/run_spec.hpp"
#include "planner/fields.hpp"
#include "planner/site.hpp"
#include "planner/wishes.hpp"

namespace dlscale::planner {

struct Allocation {
  contract::ResourceRequest request;
  int partition = -1;  ///< of Site::partitions; -1 on a site without any (one machine)
};

/// The first partition that takes the job, or the one the study names: the fewest nodes over which
/// the ranks divide evenly, each with room for its ranks (GPUs and cores). Without partitions all
/// ranks share one node. Throws base::SpecError at `gpus` naming the limit of each partition.
Allocation allocate(const Site& site, const ResourceWishes& wishes, const Item& gpus);

}  // namespace dlscale::planner
