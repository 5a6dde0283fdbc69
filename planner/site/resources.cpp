// SPDX-License-Identifier: Apache-2.0
#include "planner/site/resources.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/registry.hpp"
#include "base/text.hpp"

namespace dlscale::planner {
namespace {

std::string hours(double seconds) {
  const double h = seconds / 3600;
  return h < 1000 ? fmt::format("{:.4g} h", h) : fmt::format("{:.0f} h", h);
}

int cores_per_rank(const Site& site, const ResourceSettings& requested,
                   const Partition* partition) {
  if (requested.cores_per_rank > 0) return requested.cores_per_rank;
  if (site.cores_per_rank > 0) return site.cores_per_rank;
  if (partition == nullptr || site.device == "cpu") return 1;
  return std::max(1, partition->cores_per_node / std::max(1, partition->gpus_per_node));
}

/// Requirements of a run that are the same on every partition.
struct Demand {
  int gpus = 1;
  predict::Band predicted_s;
  bool one_process = false;
};

/// Reason why a partition cannot run a job. `requested_key` is the study's key that conflicts with
/// the partition.
struct Refusal {
  std::string requested_key;
  std::string why;
};
using Request = contract::ResourceRequest;

Refusal refusal_of_nodes(const Partition& partition, int gpus, int room, Request& request) {
  int nodes = (gpus + room - 1) / room;
  while (gpus % nodes != 0) ++nodes;
  if (partition.max_nodes > 0 && nodes > partition.max_nodes) {
    return {"gpus", fmt::format("needs {} nodes of {} ranks, but at most {} nodes are allowed",
                                nodes, gpus / nodes, partition.max_nodes)};
  }
  if (partition.nodes > 0 && nodes > partition.nodes) {
    return {"gpus", fmt::format("needs {} nodes of {} ranks, but only {} nodes exist", nodes,
                                gpus / nodes, partition.nodes)};
  }
  if (nodes < partition.min_nodes) {
    return {"gpus", fmt::format("needs {} nodes, but jobs must use at least {} nodes", nodes,
                                partition.min_nodes)};
  }
  request.nodes = nodes;
  request.ranks_per_node = gpus / nodes;
  return {};
}

Refusal refusal_of_request(const Partition& partition, const ResourceSettings& requested,
                           const predict::Band& predicted_s) {
  const double limit = partition.max_walltime_s;
  if (limit > 0 && requested.walltime_s == 0 && predicted_s.value > limit) {
    return {"walltime", fmt::format("the predicted run time is {} ({} to {}), but the limit is {}",
                                    hours(predicted_s.value), hours(predicted_s.low),
                                    hours(predicted_s.high), hours(limit))};
  }
  if (!requested.gpu_type.empty() && !partition.gpu_type.empty() &&
      partition.gpu_type != requested.gpu_type) {
    return {"gpu_type", fmt::format("its GPUs are of type {}", partition.gpu_type)};
  }
  if (partition.memory_gb > 0 && requested.memory_gb > partition.memory_gb) {
    return {"memory_gb", fmt::format("{:g} GB per node requested, but nodes have only {:g} GB",
                                     requested.memory_gb, partition.memory_gb)};
  }
  return {};
}

/// Checks whether a partition can run a job. If the partition can run the job, sets the nodes of
/// `request` and returns an empty reason.
Refusal try_partition(const Site& site, const ResourceSettings& requested,
                      const Partition& partition, const Demand& demand, Request& request) {
  const int room = ranks_per_full_node(site, partition, request.cores_per_rank);
  if (room < 1) {
    return {"cores_per_rank",
            fmt::format("{} cores per rank requested, but nodes have only {} cores",
                        request.cores_per_rank, partition.cores_per_node)};
  }
  if (demand.one_process && demand.gpus > room) {
    return {"gpus",
            fmt::format("one process needs {} devices, but nodes have {}", demand.gpus, room)};
  }
  if (Refusal no = refusal_of_nodes(partition, demand.gpus, room, request); !no.why.empty()) {
    return no;
  }
  if (Refusal no = refusal_of_request(partition, requested, demand.predicted_s); !no.why.empty()) {
    return no;
  }
  const double limit = partition.max_walltime_s;
  // If false, the walltime is not reduced, because a later partition may allow it.
  const bool decided = demand.predicted_s.value > 0 || requested.partition;
  if (limit > 0 && requested.walltime_s == 0 && decided) {
    request.walltime_s = std::min(request.walltime_s, limit);
  }
  if (limit > 0 && request.walltime_s > limit) {
    return {"walltime", fmt::format("the walltime is {}, but the limit is {}",
                                    hours(request.walltime_s), hours(limit))};
  }
  return {};
}

std::vector<const Partition*> candidates(const Site& site, const ResourceSettings& requested) {
  std::vector<const Partition*> result;
  std::vector<std::string> names;
  const std::string* wanted =
      requested.partition ? &std::get<std::string>(requested.partition->value) : nullptr;
  for (const Partition& partition : site.partitions) {
    names.push_back(partition.name);
    if (wanted == nullptr || partition.name == *wanted) result.push_back(&partition);
  }
  if (wanted != nullptr && result.empty() && !names.empty()) {
    config::Item{*requested.partition, "resources.partition"}.fail(
        base::unknown_name("partition", *wanted, names) + " on site " + site.name);
  }
  return result;
}

Request request_on(const Site& site, const ResourceSettings& requested, const Partition* partition,
                   const predict::Band& predicted_s) {
  Request request{.device = site.device, .communicator = site.communicator};
  request.cores_per_rank = cores_per_rank(site, requested, partition);
  request.walltime_s = site.walltime_s;
  if (predicted_s.value > 0) {
    request.walltime_s = predict::walltime_s(predicted_s.value, requested.margin, predicted_s.high);
  }
  if (requested.walltime_s > 0) request.walltime_s = requested.walltime_s;
  return request;
}

}  // namespace

Allocation allocate(const Site& site, const ResourceSettings& requested, const config::Item& gpus,
                    const predict::Band& predicted_s, bool one_process) {
  const int count = static_cast<int>(gpus.whole(1));
  std::string reasons;
  std::set<std::string> at_odds;
  for (const Partition* partition : candidates(site, requested)) {
    Request request = request_on(site, requested, partition, predicted_s);
    const Refusal no =
        try_partition(site, requested, *partition, {count, predicted_s, one_process}, request);
    if (no.why.empty()) {
      return {request, static_cast<int>(partition - site.partitions.data()), one_process};
    }
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ", partition->name, no.why);
    at_odds.insert(no.requested_key);
  }
  if (!reasons.empty()) {
    const auto requested_key = requested.said.find(*at_odds.begin());
    const bool one_request = at_odds.size() == 1 && requested_key != requested.said.end();
    (one_request ? config::Item{requested_key->second, "resources." + requested_key->first} : gpus)
        .fail(fmt::format("{} not fit on site {} ({})",
                          base::count_of(count, "GPU does", "GPUs do"), site.name, reasons));
  }
  Request request = request_on(site, requested, nullptr, predicted_s);
  request.ranks_per_node = count;
  return {request, -1, one_process};
}

const Partition* roomy_partition(const Site& site, const ResourceSettings& requested, int gpus) {
  for (const Partition* partition : candidates(site, requested)) {
    Request request = request_on(site, requested, partition, {});
    request.walltime_s = 0;
    if (try_partition(site, requested, *partition, {gpus}, request).why.empty()) return partition;
  }
  return nullptr;
}

Partition partition_for(const Site& site, const ResourceSettings& requested,
                        const Allocation& allocation) {
  Partition partition = allocation.partition < 0
                            ? Partition{}
                            : site.partitions[static_cast<std::size_t>(allocation.partition)];
  const auto prefer = [](std::string& value, const std::string& requested_key,
                         const std::string& fallback) {
    if (!requested_key.empty()) value = requested_key;
    if (value.empty()) value = fallback;
  };
  prefer(partition.account, requested.account, site.account);
  prefer(partition.qos, requested.qos, "");
  prefer(partition.constraint, requested.constraint, "");
  prefer(partition.gpu_type, requested.gpu_type, "");
  partition.exclusive = requested.exclusive.value_or(partition.exclusive);
  if (partition.exclusive) partition.moldable = false;
  return partition;
}

int ranks_per_full_node(const Site& site, const Partition& partition, int cores_per_rank) {
  const int by_cores = partition.cores_per_node / cores_per_rank;
  return site.device == "cpu" ? by_cores : std::min(by_cores, partition.gpus_per_node);
}

int charged_gpus(const Partition& partition, const contract::ResourceRequest& request) {
  const bool whole_nodes = partition.exclusive && partition.gpus_per_node > 0;
  return request.nodes * (whole_nodes ? partition.gpus_per_node : request.ranks_per_node);
}

std::vector<Shape> even_shapes(const Partition& partition, int ranks, int most_per_node) {
  std::vector<Shape> shapes;
  for (int per_node = std::min(ranks, most_per_node); per_node >= 1; --per_node) {
    const int nodes = ranks / per_node;
    const int limit = partition.max_nodes > 0 ? partition.max_nodes : nodes;
    const int exist = partition.nodes > 0 ? partition.nodes : nodes;
    if (ranks % per_node == 0 && nodes >= partition.min_nodes && nodes <= std::min(limit, exist)) {
      shapes.push_back({nodes, per_node});
    }
  }
  return shapes;
}

}  // namespace dlscale::planner
