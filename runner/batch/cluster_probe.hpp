// SPDX-License-Identifier: Apache-2.0
// Reads the description of a cluster from its batch system, as input for a site file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "runner/batch/retry_policy.hpp"

namespace dlscale::runner {

class CommandRunner;

/// Nodes with equal hardware in a partition (SLURM) or queue (OAR). 0 means unknown or unlimited.
struct NodeGroup {
  std::string partition;
  int nodes = 0;
  int gpus_per_node = 0;
  int cores_per_node = 0;
  int memory_gb = 0;  ///< memory of a node in whole 10^9 bytes
  int min_nodes = 0;  ///< smallest number of nodes of a job
  int max_nodes = 0;
  double max_walltime_s = 0;
  bool exclusive = false;     ///< true: jobs get whole nodes
  std::string gpu_type;       ///< GPU type as named by the batch system
  std::string properties;     ///< SQL condition that selects these nodes in OAR
  std::string gpu_resource;   ///< name of the OAR property that numbers the GPUs
  int free_nodes = 0;         ///< nodes that could start a job now and have no job
  int shared_nodes = 0;       ///< nodes on which jobs use a part of the resources
  bool use_is_known = false;  ///< true if the batch system reports which nodes are free
};

/// Converts MiB, the unit in which batch systems report memory, to whole 10^9 bytes.
constexpr int whole_gb_of(int mib) {
  return static_cast<int>(mib * 1048576.0 / 1e9);
}

struct Cluster {
  std::string name;        ///< cluster name, empty if unknown
  int max_array_size = 0;  ///< largest number of tasks in an array
  std::vector<NodeGroup> groups;
  std::map<std::string, std::string> closed = {};  ///< states of the closed partitions, by name
};

/// Function that runs a program and returns its output. Throws SchedulerUnreachable if the program
/// fails or does not end in time. If the program fails, the error contains the program's error
/// message.
using Ask = std::function<std::string(const std::vector<std::string>& arguments)>;

/// Returns a function that runs programs with `commands` for at most `timeout_s` seconds.
/// `commands` must outlive the returned function.
Ask ask_with(CommandRunner& commands, double timeout_s);

/// Probe that reads the description of a cluster from one kind of batch system. A new probe needs
/// one file in runner/batch and one word in runner/CMakeLists.txt.
struct ClusterProbeEntry {
  const char* name;     ///< scheduler name in site files
  const char* program;  ///< program that must exist for the probe to work
  Cluster (*probe)(const Ask& ask);
};

base::Table<ClusterProbeEntry> cluster_probe_table();

/// Returns the probe for `scheduler`. If `scheduler` is empty, returns the probe whose program is
/// in one of the folders in `path` (separated by colons, as in $PATH). Throws base::UsageError with
/// instructions for the user if no program or several programs are found.
const ClusterProbeEntry& choose_cluster_probe(const std::string& scheduler, std::string_view path);

}  // namespace dlscale::runner
