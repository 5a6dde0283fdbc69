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
  const std::vector<std::uint32_t>& runs;  ///< indices of the job's runs in plan.runs
  contract::RunSpec first;                 ///< description of the first run
  const Site& site;
  const ResourceSettings& requested;
  const Allocation& allocation;
  Partition partition;
  const contract::ResourceRequest& request;
  std::vector<std::string> datasets;  ///< unique paths of data sets, weights and model files

  bool on(const char* scheduler) const { return site.scheduler == scheduler; }
  /// Returns whether each run is a single process whose devices are the GPUs of the run.
  bool one_process() const { return allocation.one_process; }
  bool packed() const { return job.kind == contract::JobKind::packed; }
  /// Returns whether the job waits for the earlier jobs of its chain. In SLURM these jobs have the
  /// same name. An array waits as a whole, not task by task.
  bool chained() const { return on("slurm") && job.chain > 0; }
  std::string job_name() const;
  bool array() const { return job.kind == contract::JobKind::array; }
  bool cuda() const { return request.device == "cuda"; }
  bool external() const { return !first.trainer.command.empty(); }
  bool torchrun() const { return external() && first.trainer.launcher == "torchrun"; }
  /// Returns whether the runs use an external command that starts its own ranks.
  bool plain() const;
  const std::string& container() const { return site.container.kind; }
  bool pyxis() const { return container() == "pyxis"; }
  /// Returns whether the container must be started with --nv: the container needs GPUs, and the
  /// site's container arguments do not select GPUs yet.
  bool adds_nv() const;

  /// Returns whether OAR may choose the shape of the job. shapes() returns the allowed shapes.
  bool moldable() const;
  std::vector<Shape> shapes() const;

  /// Returns the launcher of the processes. This is the launcher of the site, or "plain" if the
  /// script starts one process that starts all others.
  std::string launch() const;
  int launch_nodes() const { return plain() ? 1 : request.nodes; }
  /// Returns whether mpirun may use a session directory that belongs to this job. This is true only
  /// if all processes run on the first node. On other nodes Open MPI would not remove the
  /// directory.
  bool owns_session() const {
    return (launch() == "mpirun" || launch() == "oarsh") && launch_nodes() == 1 && !moldable();
  }
  int processes_per_node() const {
    return plain() || torchrun() || one_process() ? 1 : request.ranks_per_node;
  }
  /// Returns the number of tasks that the job requests from SLURM on each node. asked_cores()
  /// returns the number of cores of each task.
  int asked_tasks() const { return one_process() && !packed() ? 1 : request.ranks_per_node; }
  int asked_cores() const {
    return request.cores_per_rank * request.ranks_per_node / asked_tasks();
  }
  int cores_per_process() const;
  /// Returns whether the launcher binds processes to cores. srun knows which cores of a node belong
  /// to the job. mpirun always binds from the first visible core, even if another job uses that
  /// core. Therefore mpirun binds only in two cases:
  /// - The job has whole nodes.
  /// - The site sets bind = "cores", because each job sees only its own cores (cpuset).
  bool binds_cores() const;
  /// Returns the number of cores to which mpirun binds each process. The number is at most the
  /// number of cores that the job is certain to have, because mpirun otherwise refuses to start.
  int bound_cores() const;

  /// Returns whether the processes connect to the node name that the site's command prints.
  bool names_rendezvous() const {
    const bool by_torchrun = torchrun() && launch_nodes() > 1;
    const bool by_command = names_launch() && request.nodes > 1;
    return (by_torchrun || by_command) && !site.rendezvous_host.empty();
  }
  bool asks_gpus_per_node() const {
    return on("slurm") && cuda() && partition.gpu_request == "gpus-per-node";
  }
  /// Returns the patterns of the environment variables that SLURM sets because of the directives of
  /// the script. The script does not unset these variables.
  std::vector<std::string> own_variables() const;
  /// Returns the patterns of the environment variables that the script unsets at its start, and the
  /// patterns of the variables that the script keeps.
  base::ScriptVariables variables() const;

  bool asks_memory() const { return requested.memory_gb > 0 || partition.memory_request; }
  long memory_mib() const;  ///< memory of each node in MiB (2^20 bytes)
  const Mail& mail() const { return requested.mail ? *requested.mail : site.mail; }
  std::string mail_events() const;
  int signal_before_end_s() const;
  /// Returns whether the script itself requeues the job.
  bool requeues() const { return on("slurm") && site.requeue.value_or(true); }
  std::vector<std::string> types() const;  ///< types for OAR's -t
  std::string walltime() const;

  /// Returns the text for OAR's -p, which selects the nodes and their GPUs.
  std::string properties() const;
  /// Returns the texts for OAR's -l, one for each shape that the job accepts. A text requests whole
  /// nodes, or GPUs or cores on each node.
  std::vector<std::string> oar_requests() const;

  /// Returns the facts about the plan and the site that commands and files may name.
  RunPlace place() const;
  /// Returns whether the command or a file names a value that is known only when a run starts.
  bool names_launch() const;
  /// Returns the paths of the files that each run gets, relative to the launch folder.
  std::vector<std::string> run_files() const;
  /// Returns NAME=VALUE for each environment variable of the first run.
  std::vector<std::string> exported() const;
  /// Returns one command for each run, which exports the environment variables of this run. Returns
  /// an empty list for a job with one run.
  std::vector<std::string> each_exported() const;
  /// Returns the names of the environment variables of all runs.
  std::vector<std::string> exported_names() const;
  /// Returns the folders outside the plan folder that the command or a file names. A container must
  /// mount them.
  std::vector<std::string> mounted_folders() const;

  /// Returns the first word of an external command, or an empty text if only a shell could expand
  /// that word.
  std::string program() const;
  /// Returns the external command of each run. The list is empty for jobs with one run.
  std::vector<std::string> commands() const;
  /// Returns a text RANKS:RUN for each run of a packed job.
  std::vector<std::string> packed_runs() const;
  /// Returns the numbers 0, 1, … ranks_per_node - 1 as texts, for a packed job.
  std::vector<std::string> slots() const;
  /// Returns the names of variables in `datasets`, longest first, because a short name may be the
  /// beginning of a long name.
  std::vector<std::string> data_variables() const;
};

// The following functions return the values and names for job script templates.
// docs/study-format.md lists them.

/// Returns the template values of plan.jobs[job] for a plan folder at the absolute path `out`.
/// Values that belong to a run are those of the first run of the job. `command` is the external
/// command of the study. Throws base::SpecError for values that a script cannot express.
TemplateData script_data(const Planning& planning, std::size_t job, const contract::PlanDir& out,
                         ExternalCommand& command);

/// Returns the template values of the file inherited_variables.sh, which all job scripts of the
/// plan read.
TemplateData inherited_data(const Planning& planning);

/// Returns all names that templates may use, in the order of the documentation.
std::vector<ScriptName> script_names();

}  // namespace dlscale::planner
