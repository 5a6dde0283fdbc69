// SPDX-License-Identifier: Apache-2.0
// A cluster as data: its batch system, its nodes, how programs are started there.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace dlscale::planner {

/// A SLURM partition or an OAR queue with one shape of nodes.
struct Partition {
  std::string name;
  int gpus_per_node = 0;
  int cores_per_node = 1;
  double memory_gb = 0;              ///< for people; 0 = not said
  int min_nodes = 1;                 ///< of one job
  int max_nodes = 0;                 ///< of one job; 0 = no limit
  double max_walltime_s = 0;         ///< 0 = no limit
  std::string properties;            ///< OAR: SQL that picks the nodes (-p)
  std::string gpu_resource = "gpu";  ///< OAR: the resource that counts GPUs in -l
};

struct Site {
  std::string name;
  std::string scheduler;  ///< local, slurm, oar
  std::string device = "cpu";
  std::string communicator = "mpi";
  std::string launcher = "mpirun";  ///< templates/launch_<launcher>.mustache
  std::vector<std::string> launcher_args;
  std::vector<Partition> partitions;  ///< the first that can take a job is used
  std::string account;
  double walltime_s = 0;                         ///< of a job whose study says "auto"; 0 = none
  int cores_per_rank = 0;                        ///< 0: a GPU's share of its node, 1 without GPUs
  std::vector<std::string> modules;              ///< shell lines, verbatim
  std::vector<std::string> environment;          ///< shell lines, verbatim, after the modules
  std::string trainer;                           ///< path or name on PATH; empty = dlscale-train
  std::string capabilities;                      ///< file; empty = not known
  std::map<std::string, std::string> variables;  ///< for $NAME in dataset.path
};

}  // namespace dlscale::planner
