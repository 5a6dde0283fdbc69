// SPDX-License-Identifier: Apache-2.0
#include "planner/site/machine.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace dlscale::planner {
namespace {

bool needs_gpus(const contract::ResourceRequest& request) {
  return request.device != "cpu";
}

int ranks_of(const contract::ResourceRequest& request) {
  return request.nodes * request.ranks_per_node;
}

}  // namespace

int most_ranks(const Machine& machine, const contract::ResourceRequest& request) {
  if (needs_gpus(request)) return machine.gpus;
  return machine.cores / std::max(1, request.cores_per_rank);
}

std::string crowding_warning(const Machine& machine, const std::vector<Allocation>& allocations) {
  const contract::ResourceRequest* largest = nullptr;
  for (const Allocation& allocation : allocations) {
    const contract::ResourceRequest& request = allocation.request;
    if (ranks_of(request) <= most_ranks(machine, request)) continue;
    if (largest == nullptr || ranks_of(request) > ranks_of(*largest)) largest = &request;
  }
  if (largest == nullptr) return "";
  const std::string ranks = base::count_of(ranks_of(*largest), "rank");
  if (needs_gpus(*largest)) {
    return fmt::format("{} on {} of this machine: such runs fail, because each rank needs a GPU",
                       ranks, base::count_of(machine.gpus, "GPU"));
  }
  const int each = largest->cores_per_rank;
  return fmt::format(
      "{}{} on {} of this machine: ranks share cores, so efficiency measures the sharing", ranks,
      each > 1 ? fmt::format(" with {} cores each", each) : "",
      base::count_of(machine.cores, "core"));
}

}  // namespace dlscale::planner
