// SPDX-License-Identifier: Apache-2.0
// A cluster as data: its batch system, its nodes, how programs are started there.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dlscale::planner {

/// Where the batch system reports what becomes of a job.
struct Mail {
  std::string user;                            ///< address; empty: nobody
  std::vector<std::string> on{"end", "fail"};  ///< of begin, end, fail
};

/// What the ranks run in; the launcher starts it.
struct Container {
  std::string kind;               ///< apptainer, singularity, pyxis, enroot; empty: none
  std::string image;              ///< file or name, as the kind takes it
  std::vector<std::string> args;  ///< further words for it
};

/// A SLURM partition or an OAR queue with one shape of nodes.
struct Partition {
  std::string name;                  ///< what studies choose it by
  std::optional<std::string> queue;  ///< what jobs ask for; not said: the name; empty: nothing
  int gpus_per_node = 0;
  int cores_per_node = 1;
  double memory_gb = 0;                 ///< of a node, 10^9 bytes; 0 = not said
  int nodes = 0;                        ///< how many there are; 0 = not said
  int min_nodes = 1;                    ///< of one job
  int max_nodes = 0;                    ///< of one job; 0 = no limit
  double max_walltime_s = 0;            ///< 0 = no limit
  bool exclusive = false;               ///< jobs get whole nodes, and pay for them
  std::string gpu_type;                 ///< SLURM: of the GRES; OAR: gpu_model
  std::string account;                  ///< SLURM account, OAR project; empty: the site's
  std::string qos;                      ///< SLURM
  std::string constraint;               ///< SLURM: features of the nodes
  std::string hint;                     ///< SLURM: use of cores and threads
  std::string gpu_request = "gres";     ///< SLURM: gres, gpus-per-node, none
  bool memory_request = false;          ///< SLURM: ask for the memory that goes with the GPUs
  std::string properties;               ///< OAR: SQL that picks the nodes (-p)
  std::string gpu_resource = "gpu";     ///< OAR: the resource that counts GPUs in -l
  std::string host_resource = "nodes";  ///< OAR: the resource that counts nodes in -l
  std::vector<std::string> types;       ///< OAR: types of the job (-t)
  bool moldable = false;                ///< OAR: any nodes x GPUs that make up the count will do
  std::string gpu;                      ///< for predictions: a name in devices/; empty: not said
  double link_gbit_s = 0;       ///< for predictions: of a node, all adaptors together; 0 = not said
  double link_latency_us = 0;   ///< for predictions: of a hop between nodes; 0 = not said
  std::string link_all_reduce;  ///< For predictions: ring or tree; empty: the faster of the two.
};

struct Site {
  std::string name;
  std::string scheduler;  ///< local, slurm, oar
  std::string device = "cpu";
  std::string communicator = "mpi";
  std::string launcher = "mpirun";  ///< templates/launch_<launcher>.mustache; fits the scheduler
  std::vector<std::string> launcher_args;
  std::string bind;  ///< cores: ranks are tied to some, none: not; empty: where that is safe
  std::vector<Partition> partitions;  ///< the first that can take a job is used
  std::string account;
  double walltime_s = 0;         ///< of a job whose time is not known; 0 = none
  int cores_per_rank = 0;        ///< 0: a GPU's share of its node, 1 without GPUs
  int max_array_size = 1001;     ///< tasks of one array (SLURM has 1001 unless told)
  int max_jobs = 0;              ///< of one user at a time; 0 = no limit
  int signal_before_end_s = 60;  ///< jobs are told so long before their time is up; 0: never
  /// Jobs whose runs saved their state before the time limit go back to the queue by themselves.
  std::optional<bool> requeue;  ///< not said: on SLURM
  Mail mail;
  Container container;
  std::vector<std::string> modules;      ///< shell lines, verbatim
  std::vector<std::string> environment;  ///< shell lines, verbatim, after the modules
  /// Names of variables that reach the jobs although base/inherited_variables.hpp names them.
  std::vector<std::string> keep_environment;
  /// A command of bash that prints the name under which other nodes of a job reach the node it runs
  /// on; empty: hostname.
  std::string rendezvous_host;
  std::string trainer;                           ///< path or name on PATH; empty = dlscale-train
  std::string capabilities;                      ///< file; empty = not known
  std::map<std::string, std::string> variables;  ///< for $NAME in the paths of runs
};

}  // namespace dlscale::planner
