// SPDX-License-Identifier: Apache-2.0
// Implements the probe for SLURM, which reads `scontrol show config`, `scontrol show partition` and
// `sinfo`.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "runner/batch/cluster_probe.hpp"

namespace dlscale::runner {
namespace {

using Words = std::map<std::string, std::string, std::less<>>;

/// Returns the number at the start of the text, or 0 for words such as UNLIMITED and N/A.
int number(std::string_view text) {
  int value = 0;
  std::sscanf(std::string(text).c_str(), "%9d", &value);
  return value;
}

/// Converts [days-]hours:minutes:seconds to seconds. Returns 0 for UNLIMITED.
double seconds(const std::string& text) {
  const std::size_t dash = text.find('-');
  const int days = dash == std::string::npos ? 0 : number(text);
  int hours = 0, minutes = 0, rest = 0;
  const char* clock = text.c_str() + (dash == std::string::npos ? 0 : dash + 1);
  if (std::sscanf(clock, "%5d:%2d:%2d", &hours, &minutes, &rest) != 3) return 0;
  return ((days * 24.0 + hours) * 60 + minutes) * 60 + rest;
}

/// Parses a line of the form "Name=value Name=value …".
Words words_of(std::string_view line) {
  Words words;
  for (const std::string_view word : base::split(line, ' ')) {
    const std::size_t equals = word.find('=');
    if (equals != word.npos) words[std::string(word.substr(0, equals))] = word.substr(equals + 1);
  }
  return words;
}

/// Returns a value from lines of the form "Name   = value".
std::string config_value(const std::string& config, std::string_view name) {
  for (const std::string_view line : base::lines_of(config)) {
    const std::size_t equals = line.find(" = ");
    if (equals == line.npos) continue;
    if (line.substr(0, line.find(' ')) == name) return std::string(line.substr(equals + 3));
  }
  return "";
}

struct Gpus {
  int count = 0;
  std::string type;  ///< GPU type, empty if unknown or mixed
};

/// Parses generic resources (GRES) such as "gpu:a100:4(S:0-1),nvme:1", "gpu:4" or "(null)". Commas
/// inside parentheses do not separate entries.
Gpus gpus_of(std::string_view gres) {
  std::string plain;
  int depth = 0;
  for (const char letter : gres) {
    depth += letter == '(';
    if (depth == 0) plain += letter;
    depth -= letter == ')';
  }
  Gpus gpus;
  std::set<std::string> types;
  for (const std::string_view entry : base::split(plain, ',')) {
    const std::vector<std::string_view> parts = base::split(entry, ':');
    if (parts[0] != "gpu") continue;
    gpus.count += parts.size() > 1 ? number(parts.back()) : 1;
    types.emplace(parts.size() > 2 ? parts[1] : "");
  }
  if (types.size() == 1) gpus.type = *types.begin();
  return gpus;
}

std::string value_of(const Words& words, const char* name) {
  const auto found = words.find(name);
  return found == words.end() ? std::string() : found->second;
}

/// Returns the partition that a line of `scontrol show partition -o` describes. Returns nullopt if
/// the partition is not up or only root may use it.
std::optional<NodeGroup> partition_of(const Words& words) {
  const auto value = [&](const char* name) { return value_of(words, name); };
  if (value("State") != "UP" || value("RootOnly") == "YES") return std::nullopt;
  NodeGroup group;
  group.partition = value("PartitionName");
  group.min_nodes = number(value("MinNodes"));
  group.max_nodes = number(value("MaxNodes"));
  group.max_walltime_s = seconds(value("MaxTime"));
  group.exclusive = value("OverSubscribe") == "EXCLUSIVE";
  return group;
}

/// Returns the partitions that users may use but whose state is not UP, with their states.
std::map<std::string, std::string> closed_in(const std::string& answer) {
  std::map<std::string, std::string> closed;
  for (const std::string_view line : base::lines_of(answer)) {
    const Words words = words_of(line);
    const std::string name = value_of(words, "PartitionName");
    const std::string state = value_of(words, "State");
    const bool ours = !name.empty() && value_of(words, "RootOnly") != "YES";
    if (ours && !state.empty() && state != "UP") closed[name] = state;
  }
  return closed;
}

/// Returns the partitions in SLURM's order, with the default partition first.
std::vector<NodeGroup> partitions_of(const std::string& answer) {
  std::vector<NodeGroup> partitions;
  for (const std::string_view line : base::lines_of(answer)) {
    const Words words = words_of(line);
    const std::optional<NodeGroup> partition = partition_of(words);
    if (!partition) continue;
    const auto by_default = words.find("Default");
    const bool first = by_default != words.end() && by_default->second == "YES";
    partitions.insert(first ? partitions.begin() : partitions.end(), *partition);
  }
  return partitions;
}

/// Adds nodes to the group with the same number and type of GPUs. The group has the cores and the
/// memory of its smallest node.
void add_nodes(std::vector<NodeGroup>& groups, const NodeGroup& nodes) {
  const auto same = std::find_if(groups.begin(), groups.end(), [&](const NodeGroup& group) {
    return group.gpus_per_node == nodes.gpus_per_node && group.gpu_type == nodes.gpu_type;
  });
  if (same == groups.end()) {
    groups.push_back(nodes);
    return;
  }
  same->nodes += nodes.nodes;
  same->free_nodes += nodes.free_nodes;
  same->shared_nodes += nodes.shared_nodes;
  same->use_is_known = same->use_is_known && nodes.use_is_known;
  same->cores_per_node = std::min(same->cores_per_node, nodes.cores_per_node);
  same->memory_gb = std::min(same->memory_gb, nodes.memory_gb);
}

/// Sets the number of free nodes from the state that sinfo prints for all nodes of the group. The
/// last character of a state is a flag. Nodes that SLURM has powered down (~) or is booting (#) are
/// free. Other flags, such as * (does not respond) and $ (reserved for maintenance), mean that the
/// nodes start no job.
void set_use(NodeGroup& nodes, std::string_view state) {
  nodes.use_is_known = true;
  if (state == "idle" || state == "idle~" || state == "idle#") nodes.free_nodes = nodes.nodes;
  if (state == "mixed") nodes.shared_nodes = nodes.nodes;
}

/// Returns the groups of nodes of a partition, from lines of sinfo with the fields
/// name|nodes|sockets|cores per socket|memory in MiB|GRES|state.
std::vector<NodeGroup> groups_of(const NodeGroup& partition, const std::string& answer) {
  std::vector<NodeGroup> groups;
  for (const std::string_view line : base::lines_of(answer)) {
    const std::vector<std::string_view> fields = base::split(line, '|');
    if (fields.size() < 6 || fields[0] != partition.partition) continue;
    NodeGroup nodes = partition;
    nodes.nodes = number(fields[1]);
    nodes.cores_per_node = number(fields[2]) * number(fields[3]);
    nodes.memory_gb = whole_gb_of(number(fields[4]));
    const Gpus gpus = gpus_of(fields[5]);
    nodes.gpus_per_node = gpus.count;
    nodes.gpu_type = gpus.type;
    if (fields.size() > 6) set_use(nodes, fields[6]);
    if (nodes.nodes > 0) add_nodes(groups, nodes);
  }
  return groups;
}

Cluster probe(const Ask& ask) {
  Cluster cluster;
  const std::string config = ask({"scontrol", "show", "config"});
  cluster.name = config_value(config, "ClusterName");
  // MaxArraySize is the maximum number of tasks, because task indices start at 0.
  cluster.max_array_size = number(config_value(config, "MaxArraySize"));
  const std::string partitions = ask({"scontrol", "show", "partition", "-o"});
  cluster.closed = closed_in(partitions);
  const std::string nodes =
      ask({"sinfo", "--noheader", "--exact", "--format=%R|%D|%X|%Y|%m|%G|%T"});
  for (const NodeGroup& partition : partitions_of(partitions)) {
    const std::vector<NodeGroup> groups = groups_of(partition, nodes);
    cluster.groups.insert(cluster.groups.end(), groups.begin(), groups.end());
  }
  return cluster;
}

}  // namespace

extern const ClusterProbeEntry slurm_probe_entry;
const ClusterProbeEntry slurm_probe_entry{.name = "slurm", .program = "sinfo", .probe = &probe};

}  // namespace dlscale::runner
