// SPDX-License-Identifier: Apache-2.0
// Describes a cluster: its batch system, its nodes, and how programs are started there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::planner {

/// Mail address and events for reports of the batch system about jobs.
struct Mail {
  std::string user;                            ///< mail address; empty: no mail
  std::vector<std::string> on{"end", "fail"};  ///< events: begin, end, fail
};

/// Container in which the launcher starts the ranks.
struct Container {
  std::string kind;               ///< apptainer, singularity, pyxis, enroot; empty: none
  std::string image;              ///< image file or image name, depending on the kind
  std::vector<std::string> args;  ///< additional arguments of the container
};

/// SLURM partition or OAR queue with a single shape of nodes.
struct Partition {
  std::string name;                  ///< name used in studies
  std::optional<std::string> queue;  ///< queue requested by jobs; absent: name; empty: none
  int gpus_per_node = 0;
  int cores_per_node = 1;
  double memory_gb = 0;              ///< memory of a node, 10^9 bytes; 0 = unknown
  int nodes = 0;                     ///< number of existing nodes; 0 = unknown
  int min_nodes = 1;                 ///< minimum number of nodes of a job
  int max_nodes = 0;                 ///< maximum number of nodes of a job; 0 = no limit
  double max_walltime_s = 0;         ///< maximum time limit of a job; 0 = no limit
  bool exclusive = false;            ///< true when jobs get and pay for whole nodes
  std::string gpu_type;              ///< GPU type: GRES type (SLURM), gpu_model (OAR)
  std::string account;               ///< SLURM account or OAR project; empty: the site's
  std::string qos;                   ///< SLURM quality of service
  std::string constraint;            ///< SLURM: required features of the nodes
  std::string hint;                  ///< SLURM: use of cores and threads
  std::string gpu_request = "gres";  ///< SLURM option: gres, gpus-per-node, none
  bool memory_request = false;       ///< SLURM: true if jobs request memory in proportion to GPUs
  std::string properties;            ///< OAR: SQL that selects the nodes (-p)
  std::string gpu_resource = "gpu";  ///< OAR: resource that counts GPUs in -l
  std::string host_resource = "nodes";  ///< OAR: resource that counts nodes in -l
  std::vector<std::string> types;       ///< OAR: types of the job (-t)
  bool moldable = false;        ///< OAR: true if any nodes x GPUs with the right product suffice
  std::string gpu;              ///< predictions: name in devices/; empty: unknown
  double link_gbit_s = 0;       ///< predictions: bandwidth of a node, all adaptors; 0 = unknown
  double link_latency_us = 0;   ///< predictions: latency between nodes; 0 = unknown
  std::string link_all_reduce;  ///< predictions: ring or tree; empty: the faster algorithm
};

struct Site {
  std::string name;
  std::string scheduler;  ///< local, slurm, oar
  std::string device = "cpu";
  std::string communicator = "mpi";
  std::string launcher = "mpirun";  ///< scheduler's launcher: templates/launch_<launcher>.mustache
  std::vector<std::string> launcher_args;
  std::string bind;                   ///< binding of ranks: cores, none; empty: cores where safe
  std::vector<Partition> partitions;  ///< partitions in order of preference
  std::string account;
  double walltime_s = 0;         ///< default time limit of a job; 0 = none
  int cores_per_rank = 0;        ///< 0: a GPU's share of its node, 1 without GPUs
  int max_array_size = 1001;     ///< maximum number of tasks of an array (SLURM default: 1001)
  int max_jobs = 0;              ///< maximum number of jobs of a user at a time; 0 = no limit
  int signal_before_end_s = 60;  ///< time of the warning signal before the time limit; 0: no signal
  /// Requeue setting: a job whose runs saved their state before the time limit returns to the queue
  /// by itself.
  std::optional<bool> requeue;  ///< absent: true on SLURM, false on OAR
  Mail mail;
  Container container;
  std::vector<std::string> modules;      ///< shell lines, verbatim
  std::vector<std::string> environment;  ///< shell lines after the modules, verbatim
  /// Names of variables that reach the jobs, although base/inherited_variables.hpp lists them for
  /// removal.
  std::vector<std::string> keep_environment;
  /// Bash command that prints the name under which other nodes of a job reach the current node.
  /// Empty: hostname.
  std::string rendezvous_host;
  std::string trainer;       ///< path or name on PATH; empty = dlscale-train
  std::string capabilities;  ///< file with capabilities of the trainer; empty = unknown
  std::map<std::string, std::string> variables;  ///< values of $NAME in the paths of runs
};

}  // namespace dlscale::planner
