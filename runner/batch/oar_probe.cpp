// SPDX-License-Identifier: Apache-2.0
// Implements the probe for OAR, which reads `oarnodes -J`: one JSON object of properties per
// resource (in most cases a core).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>

#include "contract/json/document.hpp"
#include "runner/batch/cluster_probe.hpp"

namespace dlscale::runner {
namespace {

using contract::codec::text_in;
using contract::codec::Value;

/// Appends the usable resources in `value` to `found`. Depending on the version of OAR, the JSON
/// object contains resources by id, or hosts that contain resources by id.
void find_resources(Value value, std::vector<Value>& found) {
  simdjson::dom::array items;
  if (value.get(items) == simdjson::SUCCESS) {
    for (const Value item : items) find_resources(item, found);
  }
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) return;
  if (object["network_address"].error() == simdjson::SUCCESS) {
    const std::string type = text_in(value, "type");
    const bool core_of_a_node = type.empty() || type == "default";
    if (core_of_a_node && text_in(value, "state") != "Dead") found.push_back(value);
    return;
  }
  for (const auto& [key, item] : object) find_resources(item, found);
}

struct Host {
  std::set<std::string> cores, gpus;
  std::string cluster, gpu_model;
  int memory_gb = 0;
  int resources = 0, free_resources = 0, used_resources = 0;
};

/// Returns the name of the resource property that numbers the GPUs. Different sites use different
/// names.
std::string gpu_resource(const std::vector<Value>& resources) {
  for (const char* name : {"gpu", "gpunum", "gpuid"}) {
    const bool there = std::any_of(resources.begin(), resources.end(),
                                   [&](Value one) { return !text_in(one, name).empty(); });
    if (there) return name;
  }
  return "";
}

std::map<std::string, Host> hosts_of(const std::vector<Value>& resources, const std::string& gpu) {
  std::map<std::string, Host> hosts;
  for (const Value resource : resources) {
    Host& host = hosts[text_in(resource, "network_address")];
    const std::string core = text_in(resource, "core");
    host.cores.insert(core.empty() ? text_in(resource, "resource_id") : core);
    const bool has_none = text_in(resource, "gpu_count") == "0";
    const std::string number = gpu.empty() || has_none ? "" : text_in(resource, gpu.c_str());
    if (!number.empty()) host.gpus.insert(number);
    const bool used = !text_in(resource, "jobs").empty();  // ids of running jobs, such as "17, 18"
    const bool starts_jobs =
        text_in(resource, "state") == "Alive" && text_in(resource, "drain") != "YES";
    host.resources += 1;
    host.used_resources += used ? 1 : 0;
    host.free_resources += !used && starts_jobs ? 1 : 0;
    host.cluster = text_in(resource, "cluster");
    host.gpu_model = text_in(resource, "gpu_model");
    const std::string memory = text_in(resource, "memnode");  // MiB, if the site sets the property
    host.memory_gb = whole_gb_of(std::atoi(memory.c_str()));
  }
  return hosts;
}

void add_host(NodeGroup& group, const Host& host) {
  const int cores = static_cast<int>(host.cores.size());
  const bool first = group.nodes == 0;
  group.nodes += 1;
  group.use_is_known = true;
  group.free_nodes += host.free_resources == host.resources ? 1 : 0;
  group.shared_nodes += host.used_resources > 0 && host.free_resources > 0 ? 1 : 0;
  group.cores_per_node = first ? cores : std::min(group.cores_per_node, cores);
  group.memory_gb = first ? host.memory_gb : std::min(group.memory_gb, host.memory_gb);
  group.gpus_per_node = static_cast<int>(host.gpus.size());
  group.gpu_type = host.gpus.empty() ? "" : host.gpu_model;
}

Cluster probe(const Ask& ask) {
  const std::string answer = ask({"oarnodes", "-J"});
  simdjson::dom::parser parser;
  Value document;
  if (parser.parse(answer).get(document) != simdjson::SUCCESS) {
    throw base::RunError(
        "oarnodes -J printed no JSON; install Perl's JSON module, which OAR needs for -J",
        kUnreachableExit);
  }
  std::vector<Value> resources;
  find_resources(document, resources);
  const std::string gpu = gpu_resource(resources);
  std::map<std::tuple<std::string, std::string, std::size_t>, NodeGroup> groups;
  std::set<std::string> clusters;
  for (const auto& [name, host] : hosts_of(resources, gpu)) {
    add_host(groups[{host.cluster, host.gpu_model, host.gpus.size()}], host);
    clusters.insert(host.cluster);
  }
  Cluster cluster;
  for (auto& [key, group] : groups) {
    group.partition = "default";  // this queue always exists; users cannot list the queues of OAR
    group.gpu_resource = gpu;
    const std::string& name = std::get<0>(key);
    if (clusters.size() > 1 && !name.empty()) {
      group.properties = fmt::format("cluster='{}'", name);
    }
    cluster.groups.push_back(group);
  }
  return cluster;
}

}  // namespace

extern const ClusterProbeEntry oar_probe_entry;
const ClusterProbeEntry oar_probe_entry{.name = "oar", .program = "oarnodes", .probe = &probe};

}  // namespace dlscale::runner
