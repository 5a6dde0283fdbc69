// SPDX-License-Identifier: Apache-2.0
// Describes a job with all values that its script may use, and names these values for templates.
// Private to planner/script. docs/study-format.md lists the names.
#pragma once

#include <string>
#include <vector>

#include "base/inherited_variables.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "planner/script/render.hpp"
#include "planner/script/run_values.hpp"

namespace dlscale::planner {

struct Script {
  Script(const Planning& planning, std::size_t job, const contract::PlanDir& out,
         ExternalCommand& command);

  const Planning& planning;
  const contract::PlanDir& out;
  ExternalCommand& command;
  const contract::PlannedJob& job;
  const std::vector<std::uint32_t>& runs;  ///< indices of plan.runs
  contract::RunSpec first;                 ///< first of the runs
  const Site& site;
  const ResourceSettings& requested;
  const Allocation& allocation;
  Partition partition;
  const contract::ResourceRequest& request;
  std::vector<std::string> datasets;  ///< unique paths of data, weights and models in files

  bool on(const char* scheduler) const { return site.scheduler == scheduler; }
  /// Returns true when each run is a single process whose devices are the GPUs of the run.
  bool one_process() const { return allocation.one_process; }
  bool packed() const { return job.kind == contract::JobKind::packed; }
  /// Returns true when the job waits for the earlier jobs of the same name. An array counts as a
  /// whole.
  bool chained() const { return on("slurm") && job.chain > 0; }
  std::string job_name() const;
  bool array() const { return job.kind == contract::JobKind::array; }
  bool cuda() const { return request.device == "cuda"; }
  bool external() const { return !first.trainer.command.empty(); }
  bool torchrun() const { return external() && first.trainer.launcher == "torchrun"; }
  /// Returns true for an external command that starts its own ranks.
  bool plain() const;
  const std::string& container() const { return site.container.kind; }
  bool pyxis() const { return container() == "pyxis"; }
  /// Returns true when the container needs GPUs and its arguments do not select any GPUs yet.
  bool adds_nv() const;

  /// Returns true when OAR may choose the shape of the job. shapes() returns the shapes to choose
  /// from.
  bool moldable() const;
  std::vector<Shape> shapes() const;

  /// Returns the launcher that starts processes: the site's launcher, or "plain" when a single
  /// process starts the other processes.
  std::string launch() const;
  int launch_nodes() const { return plain() ? 1 : request.nodes; }
  /// Returns true when mpirun may use a session directory of this job. On other nodes Open MPI
  /// would leave the folder of this session directory behind.
  bool owns_session() const {
    return (launch() == "mpirun" || launch() == "oarsh") && launch_nodes() == 1 && !moldable();
  }
  int processes_per_node() const {
    return plain() || torchrun() || one_process() ? 1 : request.ranks_per_node;
  }
  /// Returns the number of tasks requested from SLURM on each node. asked_cores() returns the
  /// number of cores of each task.
  int asked_tasks() const { return one_process() && !packed() ? 1 : request.ranks_per_node; }
  int asked_cores() const {
    return request.cores_per_rank * request.ranks_per_node / asked_tasks();
  }
  int cores_per_process() const;
  /// Returns true when the launcher binds processes to cores.
  /// srun knows which cores are free. mpirun binds from the first visible core, even when other
  /// jobs use that core. Therefore mpirun binds only when the job has whole nodes, or when the site
  /// states bind = "cores" because each job has a cpuset.
  bool binds_cores() const;
  /// Returns the number of cores that each process is bound to. The number never exceeds the cores
  /// that a job certainly has, because mpirun otherwise refuses to start.
  int bound_cores() const;

  /// Returns true when the processes of torchrun meet at the name that the site's command prints.
  bool names_rendezvous() const {
    return torchrun() && launch_nodes() > 1 && !site.rendezvous_host.empty();
  }
  bool asks_gpus_per_node() const {
    return on("slurm") && cuda() && partition.gpu_request == "gpus-per-node";
  }
  /// Returns the environment variables that the script unsets first, and the exceptions.
  base::ScriptVariables variables() const;

  bool asks_memory() const { return requested.memory_gb > 0 || partition.memory_request; }
  long memory_mib() const;  ///< memory of each node in MiB (2^20 bytes)
  const Mail& mail() const { return requested.mail ? *requested.mail : site.mail; }
  std::string mail_events() const;
  int signal_before_end_s() const;
  /// Returns true when the script itself returns the job to the queue.
  bool requeues() const { return on("slurm") && site.requeue.value_or(true); }
  std::vector<std::string> types() const;  ///< types for OAR's -t
  std::string walltime() const;

  /// Returns the text for OAR's -p, which selects the nodes and their GPUs.
  std::string properties() const;
  /// Returns the texts for OAR's -l, with a text for each acceptable shape: whole nodes, or the
  /// GPUs or cores of the ranks on each node.
  std::vector<std::string> oar_requests() const;

  /// Returns the first word of an external command, or an empty text when the word needs shell
  /// expansion.
  std::string program() const;
  std::vector<std::string> commands() const;     ///< external commands of a job with several runs
  std::vector<std::string> packed_runs() const;  ///< items RANKS:RUN
  std::vector<std::string> slots() const;        ///< items 0, 1, … ranks_per_node - 1
  /// Returns the names of variables in `datasets`. Longer names come first, because a short name
  /// may be the beginning of a long name.
  std::vector<std::string> data_variables() const;
};

// The following functions return the values and names for job script templates.
// docs/study-format.md lists them.

/// Returns the values of plan.jobs[job] for a plan folder at the absolute path `out`. Values of a
/// run belong to the first run of the job. `command` is the command of the study. Throws
/// base::SpecError for values that a script cannot express.
TemplateData script_data(const Planning& planning, std::size_t job, const contract::PlanDir& out,
                         ExternalCommand& command);

/// Returns all names in the order of the documentation.
std::vector<ScriptName> script_names();

}  // namespace dlscale::planner
