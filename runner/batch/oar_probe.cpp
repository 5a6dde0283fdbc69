// SPDX-License-Identifier: Apache-2.0
// OAR's answer: `oarnodes -J`, one JSON object of properties per resource (in most cases a core).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "runner/batch/cluster_probe.hpp"

namespace dlscale::runner {
namespace {

using nlohmann::json;

/// A property as text; empty when the resource lacks it.
std::string text(const json& resource, const char* property) {
  const auto found = resource.find(property);
  if (found == resource.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// Resources lie under their ids, in some versions of OAR under their hosts first.
void find_resources(const json& value, std::vector<const json*>& found) {
  if (!value.is_structured()) return;
  if (value.is_object() && value.contains("network_address")) {
    const std::string type = text(value, "type");
    const bool core_of_a_node = type.empty() || type == "default";
    if (core_of_a_node && text(value, "state") != "Dead") found.push_back(&value);
    return;
  }
  for (const json& item : value) find_resources(item, found);
}

struct Host {
  std::set<std::string> cores, gpus;
  std::string cluster, gpu_model;
  int memory_gb = 0;
};

/// Sites call the resource that numbers the GPUs by one of these names.
std::string gpu_resource(const std::vector<const json*>& resources) {
  for (const char* name : {"gpu", "gpunum", "gpuid"}) {
    const bool there = std::any_of(resources.begin(), resources.end(),
                                   [&](const json* one) { return !text(*one, name).empty(); });
    if (there) return name;
  }
  return "";
}

std::map<std::string, Host> hosts_of(const std::vector<const json*>& resources,
                                     const std::string& gpu) {
  std::map<std::string, Host> hosts;
  for (const json* resource : resources) {
    Host& host = hosts[text(*resource, "network_address")];
    const std::string core = text(*resource, "core");
    host.cores.insert(core.empty() ? text(*resource, "resource_id") : core);
    const bool has_none = text(*resource, "gpu_count") == "0";
    const std::string number = gpu.empty() || has_none ? "" : text(*resource, gpu.c_str());
    if (!number.empty()) host.gpus.insert(number);
    host.cluster = text(*resource, "cluster");
    host.gpu_model = text(*resource, "gpu_model");
    const std::string memory = text(*resource, "memnode");  // MiB where a site has it
    host.memory_gb = whole_gb_of(std::atoi(memory.c_str()));
  }
  return hosts;
}

void add_host(NodeGroup& group, const Host& host) {
  const int cores = static_cast<int>(host.cores.size());
  const bool first = group.nodes == 0;
  group.nodes += 1;
  group.cores_per_node = first ? cores : std::min(group.cores_per_node, cores);
  group.memory_gb = first ? host.memory_gb : std::min(group.memory_gb, host.memory_gb);
  group.gpus_per_node = static_cast<int>(host.gpus.size());
  group.gpu_type = host.gpus.empty() ? "" : host.gpu_model;
}

Cluster probe(const Ask& ask) {
  const std::string answer = ask({"oarnodes", "-J"});
  const json document = json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) {
    throw base::RunError("oarnodes -J gives no JSON; OAR needs Perl's JSON module for it",
                         kUnreachableExit);
  }
  std::vector<const json*> resources;
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
    group.partition = "default";  // OAR does not tell users its queues; this one always exists
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
