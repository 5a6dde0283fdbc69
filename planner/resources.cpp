// SPDX-License-Identifier: Apache-2.0
#include "planner/resources.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/registry.hpp"

namespace dlscale::planner {
namespace {

std::string hours(double seconds) {
  return fmt::format("{:g} h", seconds / 3600);
}

int cores_per_rank(const Site& site, const ResourceWishes& wishes, const Partition* partition) {
  if (wishes.cores_per_rank > 0) return wishes.cores_per_rank;
  if (site.cores_per_rank > 0) return site.cores_per_rank;
  if (partition == nullptr || site.device == "cpu") return 1;
  return std::max(1, partition->cores_per_node / std::max(1, partition->gpus_per_node));
}

/// Tries one partition; says why it does not take the job, or returns an empty text.
std::string try_partition(const Site& site, const Partition& partition, int gpus,
                          contract::ResourceRequest& request) {
  const int by_cores = partition.cores_per_node / request.cores_per_rank;
  const int room = site.device == "cpu" ? by_cores : std::min(by_cores, partition.gpus_per_node);
  if (room < 1) {
    return fmt::format("{} cores per rank on nodes of {} cores", request.cores_per_rank,
                       partition.cores_per_node);
  }
  int nodes = (gpus + room - 1) / room;
  while (gpus % nodes != 0) ++nodes;
  if (partition.max_nodes > 0 && nodes > partition.max_nodes) {
    return fmt::format("{} nodes of {} ranks, at most {} nodes", nodes, gpus / nodes,
                       partition.max_nodes);
  }
  if (nodes < partition.min_nodes) {
    return fmt::format("{} nodes, at least {}", nodes, partition.min_nodes);
  }
  if (partition.max_walltime_s > 0 && request.walltime_s > partition.max_walltime_s) {
    return fmt::format("walltime {}, at most {}", hours(request.walltime_s),
                       hours(partition.max_walltime_s));
  }
  request.nodes = nodes;
  request.ranks_per_node = gpus / nodes;
  return "";
}

std::vector<const Partition*> candidates(const Site& site, const ResourceWishes& wishes) {
  std::vector<const Partition*> result;
  std::vector<std::string> names;
  const std::string* wanted =
      wishes.partition ? &std::get<std::string>(wishes.partition->value) : nullptr;
  for (const Partition& partition : site.partitions) {
    names.push_back(partition.name);
    if (wanted == nullptr || partition.name == *wanted) result.push_back(&partition);
  }
  if (wanted != nullptr && result.empty()) {
    Item{*wishes.partition, "resources.partition"}.fail(
        base::unknown_name("partition", *wanted, names) + " on site " + site.name);
  }
  return result;
}

}  // namespace

Allocation allocate(const Site& site, const ResourceWishes& wishes, const Item& gpus) {
  const int count = static_cast<int>(gpus.whole(1));
  const auto request_on = [&](const Partition* partition) {
    contract::ResourceRequest request{.device = site.device, .communicator = site.communicator};
    request.cores_per_rank = cores_per_rank(site, wishes, partition);
    request.walltime_s = wishes.walltime_s > 0 ? wishes.walltime_s : site.walltime_s;
    return request;
  };
  std::string reasons;
  for (const Partition* partition : candidates(site, wishes)) {
    contract::ResourceRequest request = request_on(partition);
    const std::string why = try_partition(site, *partition, count, request);
    if (why.empty()) {
      return {request, static_cast<int>(partition - site.partitions.data())};
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", partition->name, why);
  }
  if (!reasons.empty()) {
    gpus.fail(fmt::format("{} GPUs do not fit on site {} ({})", count, site.name, reasons));
  }
  contract::ResourceRequest request = request_on(nullptr);
  request.ranks_per_node = count;
  return {request, -1};
}

}  // namespace dlscale::planner
