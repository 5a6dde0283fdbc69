// SPDX-License-Identifier: Apache-2.0
// Describes a cluster: its batch system, its nodes, and how programs are started there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::planner {

/// Mail address, and the events of a job that the batch system reports to this address.
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

/// SLURM partition or OAR queue whose nodes are all alike.
struct Partition {
  std::string name;                  ///< name used in studies
  std::optional<std::string> queue;  ///< queue that jobs request; absent: `name`; empty: no queue
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
  std::string hint;                  ///< SLURM: value of --hint, the use of cores and threads
  std::string gpu_request = "gres";  ///< SLURM option: gres, gpus-per-node, none
  /// SLURM: true if jobs request memory in proportion to their GPUs.
  bool memory_request = false;
  std::string properties;               ///< OAR: SQL that selects the nodes (-p)
  std::string gpu_resource = "gpu";     ///< OAR: resource that counts GPUs in -l
  std::string host_resource = "nodes";  ///< OAR: resource that counts nodes in -l
  std::vector<std::string> types;       ///< OAR: types of the job (-t)
  /// OAR: true if a job may run on any number of nodes, as long as it gets the requested number of
  /// GPUs.
  bool moldable = false;
  std::string gpu;  ///< predictions: name of the GPU in devices/; empty: unknown
  /// For predictions: bandwidth of all network adapters of a node together, in Gbit/s. 0 means
  /// unknown.
  double link_gbit_s = 0;
  double link_latency_us = 0;   ///< predictions: latency between nodes; 0 = unknown
  std::string link_all_reduce;  ///< predictions: ring or tree; empty: the faster algorithm
};

struct Site {
  std::string name;
  std::string scheduler;  ///< local, slurm, oar
  std::string device = "cpu";
  std::string communicator = "mpi";
  /// Program that starts the ranks. Its template is templates/launch_<launcher>.mustache.
  std::string launcher = "mpirun";
  std::vector<std::string> launcher_args;
  /// Binding of ranks: "cores" or "none". If empty, ranks are bound to cores where this cannot
  /// disturb other jobs.
  std::string bind;
  std::vector<Partition> partitions;  ///< partitions in order of preference
  std::string account;
  double walltime_s = 0;  ///< default time limit of a job; 0 = none
  /// Default number of cores of a rank. 0 means the cores of a node divided by its GPUs, or 1
  /// without GPUs.
  int cores_per_rank = 0;
  int max_array_size = 1001;  ///< maximum number of tasks of an array (SLURM default: 1001)
  int max_jobs = 0;           ///< maximum number of jobs of a user at a time; 0 = no limit
  /// Seconds from the warning signal to the time limit. 0 means that no signal is sent.
  int signal_before_end_s = 60;
  /// Flag: a job whose runs saved their state before the time limit returns to the queue by itself.
  /// If absent, the flag is true on SLURM and false on OAR.
  std::optional<bool> requeue;
  Mail mail;
  Container container;
  std::vector<std::string> modules;      ///< shell lines for job scripts, verbatim
  std::vector<std::string> environment;  ///< shell lines after the modules, verbatim
  /// Names of environment variables that jobs inherit, although base/inherited_variables.hpp lists
  /// them for removal.
  std::vector<std::string> keep_environment;
  /// Bash command that prints the name of the node on which the command runs. Other nodes of the
  /// job connect to this name. If empty, jobs use `hostname`.
  std::string rendezvous_host;
  std::string trainer;       ///< path or name on PATH; empty = dlscale-train
  std::string capabilities;  ///< file with capabilities of the trainer; empty = unknown
  std::map<std::string, std::string> variables;  ///< values of $NAME in the paths of runs
};

}  // namespace dlscale::planner
