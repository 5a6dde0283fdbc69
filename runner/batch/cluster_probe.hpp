// SPDX-License-Identifier: Apache-2.0
// What a batch system tells of its cluster, and how it is asked: the makings of a site file.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/registry.hpp"
#include "runner/batch/patience.hpp"

namespace dlscale::runner {

class CommandRunner;

/// The nodes of one shape in a partition (SLURM) or queue (OAR). Zero: not told, or no limit.
struct NodeGroup {
  std::string partition;
  int nodes = 0;
  int gpus_per_node = 0;
  int cores_per_node = 0;
  int memory_gb = 0;  ///< whole 10^9 bytes of a node
  int min_nodes = 0;  ///< of one job
  int max_nodes = 0;
  double max_walltime_s = 0;
  bool exclusive = false;    ///< jobs get whole nodes
  std::string gpu_type;      ///< as the batch system calls it
  std::string properties;    ///< OAR: SQL that tells these nodes from others
  std::string gpu_resource;  ///< OAR: the property that numbers the GPUs
};

/// Batch systems count memory in MiB; whole 10^9 bytes of it.
constexpr int whole_gb_of(int mib) {
  return static_cast<int>(mib * 1048576.0 / 1e9);
}

struct Cluster {
  std::string name;        ///< empty: not told
  int max_array_size = 0;  ///< tasks of one array
  std::vector<NodeGroup> groups;
  std::map<std::string, std::string> closed = {};  ///< partitions not in use, and what they are
};

/// Runs a program and gives what it printed. Throws Unreachable with the program's own complaint
/// when it fails, and when it does not end in time.
using Ask = std::function<std::string(const std::vector<std::string>& arguments)>;

/// `commands` must outlive the answer.
Ask ask_with(CommandRunner& commands, double timeout_s);

/// How one batch system is asked. A new one is one file in runner/batch and one word in
/// runner/CMakeLists.txt.
struct ClusterProbeEntry {
  const char* name;     ///< of the scheduler, as sites say it
  const char* program;  ///< whose presence shows that it can be asked here
  Cluster (*probe)(const Ask& ask);
};

base::Table<ClusterProbeEntry> cluster_probe_table();

/// The probe of `scheduler`, or if that is empty the one whose program lies in a folder of `path`
/// (folders parted by colons, as in $PATH). Throws base::UsageError saying what to do when there is
/// none, or more than one.
const ClusterProbeEntry& choose_cluster_probe(const std::string& scheduler, std::string_view path);

}  // namespace dlscale::runner
