// SPDX-License-Identifier: Apache-2.0
// Private to planner/script: a job with all that its script may tell, and the names that templates
// have for it; docs/study-format.md lists them.
#pragma once

#include <string>
#include <vector>

#include "base/inherited_variables.hpp"
#include "contract/plan/run_dir.hpp"
#include "planner/jobs/plan_jobs.hpp"
#include "planner/script/render.hpp"
#include "planner/script/run_values.hpp"

namespace dlscale::planner {

// Private to planner/script/*.cpp: a job with everything that its script may state.

struct Script {
  Script(const Planning& planning, std::size_t job, const contract::PlanDir& out,
         ExternalCommand& command);

  const Planning& planning;
  const contract::PlanDir& out;
  ExternalCommand& command;
  const contract::PlannedJob& job;
  const std::vector<std::uint32_t>& runs;  ///< indices of plan.runs
  contract::RunSpec first;                 ///< of the runs
  const Site& site;
  const ResourceWishes& wishes;
  const Allocation& allocation;
  Partition partition;
  const contract::ResourceRequest& request;
  std::vector<std::string> datasets;  ///< paths of data, weights and models in files, each once

  bool on(const char* scheduler) const { return site.scheduler == scheduler; }
  /// Each run is one process, its GPUs are devices of that.
  bool one_process() const { return allocation.one_process; }
  bool packed() const { return job.kind == contract::JobKind::packed; }
  /// Waits for the jobs of its name, an array as a whole.
  bool chained() const { return on("slurm") && job.chain > 0; }
  std::string job_name() const;
  bool array() const { return job.kind == contract::JobKind::array; }
  bool cuda() const { return request.device == "cuda"; }
  bool external() const { return !first.trainer.command.empty(); }
  bool torchrun() const { return external() && first.trainer.launcher == "torchrun"; }
  /// An external command that starts its own ranks.
  bool plain() const;
  const std::string& container() const { return site.container.kind; }
  bool pyxis() const { return container() == "pyxis"; }
  /// GPUs are wanted in the container, and its own words do not say which yet.
  bool adds_nv() const;

  /// What OAR may choose from, for jobs that leave it the choice.
  bool moldable() const;
  std::vector<Shape> shapes() const;

  /// What starts processes: the site's launcher, or "plain" where one process starts the others.
  std::string launch() const;
  int launch_nodes() const { return plain() ? 1 : request.nodes; }
  /// On other nodes Open MPI would leave the folder of such a session directory behind.
  bool owns_session() const {
    return (launch() == "mpirun" || launch() == "oarsh") && launch_nodes() == 1 && !moldable();
  }
  int processes_per_node() const {
    return plain() || torchrun() || one_process() ? 1 : request.ranks_per_node;
  }
  /// What SLURM is asked for on each node: tasks, and cores for each.
  int asked_tasks() const { return one_process() && !packed() ? 1 : request.ranks_per_node; }
  int asked_cores() const {
    return request.cores_per_rank * request.ranks_per_node / asked_tasks();
  }
  int cores_per_process() const;
  /// srun knows which cores are free. mpirun starts from the first core it sees, whoever else is
  /// there: it may bind where the job has the node or, as the site then says, a cpuset for itself.
  bool binds_cores() const;
  /// Of each process; no more than a job is sure to have, or mpirun refuses to start.
  int bound_cores() const;

  /// torchrun meets at the name that the site's command prints.
  bool names_rendezvous() const {
    return torchrun() && launch_nodes() > 1 && !site.rendezvous_host.empty();
  }
  bool asks_gpus_per_node() const {
    return on("slurm") && cuda() && partition.gpu_request == "gpus-per-node";
  }
  /// What of its environment the script unsets first, and what it does not.
  base::ScriptVariables variables() const;

  bool asks_memory() const { return wishes.memory_gb > 0 || partition.memory_request; }
  long memory_mib() const;  ///< of each node, 2^20 bytes
  const Mail& mail() const { return wishes.mail ? *wishes.mail : site.mail; }
  std::string mail_events() const;
  int signal_before_end_s() const;
  /// The script itself sends the job back to the queue.
  bool requeues() const { return on("slurm") && site.requeue.value_or(true); }
  std::vector<std::string> types() const;  ///< OAR's -t
  std::string walltime() const;

  /// OAR's -p: what picks the nodes, and their GPUs.
  std::string properties() const;
  /// OAR's -l: whole nodes, or the GPUs or cores of the ranks on each; every shape that will do.
  std::vector<std::string> oar_requests() const;

  /// The first word of an external command, where it is a program's name as it stands.
  std::string program() const;
  std::vector<std::string> commands() const;     ///< external, of each run of several
  std::vector<std::string> packed_runs() const;  ///< RANKS:RUN
  std::vector<std::string> slots() const;        ///< 0, 1, … ranks_per_node - 1
  /// Names of variables in these paths; the longest first, so that none is taken for the
  /// beginning of another.
  std::vector<std::string> data_variables() const;
};

// What job script templates may name; docs/study-format.md lists it.

/// The values of the plan's job number `job`, for a plan folder at `out` (absolute). Values of a
/// run are those of the job's first; `command` is the study's. Throws base::SpecError for what no
/// script can express.
TemplateData script_data(const Planning& planning, std::size_t job, const contract::PlanDir& out,
                         ExternalCommand& command);

/// Every name, in the order of the documentation.
std::vector<ScriptName> script_names();

}  // namespace dlscale::planner
