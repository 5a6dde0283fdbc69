// SPDX-License-Identifier: Apache-2.0
#include "base/inherited_variables.hpp"

#include <algorithm>
#include <span>

namespace dlscale::base {
namespace {

/// Pattern for names of environment variables: a whole name, or the beginning of names followed by
/// a star.
using Pattern = std::string_view;

/// Variables that dlscale passes on to the programs that it starts. Some variables locate the
/// cluster or authenticate the user. Other variables contain paths of programs and libraries, or
/// are settings of libraries.
constexpr Pattern kPassing[] = {
    "SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_CLUSTERS", "SLURM_JWT",           "SLURM_SACK_*",
    "SLURM_HOME", "SLURM_ROOT",        "SLURM_PREFIX",   "SLURM_DIR",           "SLURM_BIN",
    "SLURM_LIB",  "SLURM_INCLUDE",     "PMIX_MCA_*",     "PMIX_INSTALL_PREFIX", "PMIX_PREFIX",
    "PMIX_HOME",  "PMIX_ROOT",         "PBS_CONF_FILE",  "PBS_DEFAULT",         "PBS_EXEC",
    "PBS_HOME",   "PBS_SERVER",        "HYDRA_HOME",     "HYDRA_ROOT",
};

/// Variables that SLURM's commands read as options. Sources: the section "input environment
/// variables" of sbatch(1), srun(1), salloc(1), squeue(1), sacct(1), scancel(1), sinfo(1) and
/// scontrol(1), SLURM 20.02 to 25.05.
constexpr Pattern kCommandOptions[] = {
    "SBATCH_*", "SALLOC_*", "SRUN_*", "SQUEUE_*", "SACCT_*", "SCANCEL_*", "SINFO_*", "SCONTROL_*",
};

// The following tables list variables that launchers set for their ranks. MPI libraries and
// frameworks treat a process with these variables as a rank of that launch.

/// Variables of PMI, PMIx and MVAPICH. SLURM, Cray PALS and MPICH's Hydra start ranks through PMI
/// or PMIx.
constexpr Pattern kProcessManagers[] = {
    "PMI_*",      "PMI2_*",       "PMIX_*",           "PALS_*",
    "HYDRA_*",    "HYDI_*",       "MPI_LOCALRANKID",  "MPI_LOCALNRANKS",
    "MPIR_RANK",  "I_MPI_INFO_*", "MV2_COMM_WORLD_*", "MVP_COMM_WORLD_*",
    "MPISPAWN_*", "MPIRUN_RANK",  "MPIRUN_NPROCS",
};
/// Variables that Open MPI 3 to 5 and PRRTE set for their ranks. They are the variables that
/// `mpirun -np 1 env` adds to the environment.
constexpr Pattern kOpenMpi[] = {
    "OMPI_COMM_WORLD_*",
    "OMPI_UNIVERSE_SIZE",
    "OMPI_APP_CTX_NUM_PROCS",
    "OMPI_NUM_APP_CTX",
    "OMPI_FIRST_RANKS",
    "OMPI_FILE_LOCATION",
    "OMPI_ARGV",
    "OMPI_COMMAND",
    "OMPI_MCA_ess",
    "OMPI_MCA_ess_*",
    "OMPI_MCA_initial_wdir",
    "OMPI_MCA_mpi_oversubscribe",
    "OMPI_MCA_pmix",
    "OMPI_MCA_shmem_RUNTIME_QUERY_hint",
    "OMPI_MCA_orte_app_num",
    "OMPI_MCA_orte_bound_at_launch",
    "OMPI_MCA_orte_ess_*",
    "OMPI_MCA_orte_hnp_uri",
    "OMPI_MCA_orte_jobfam_session_dir",
    "OMPI_MCA_orte_launch",
    "OMPI_MCA_orte_local_daemon_uri",
    "OMPI_MCA_orte_num_nodes",
    "OMPI_MCA_orte_parent_uri",
    "OMPI_MCA_orte_precondition_transports",
    "OMPI_MCA_orte_top_session_dir",
    "PRTE_LAUNCHED",
    "PRTE_MCA_ess",
    "PRTE_MCA_ess_*",
    "PRTE_MCA_prte_app_num",
    "PRTE_MCA_prte_bound_at_launch",
    "PRTE_MCA_prte_ess_*",
    "PRTE_MCA_prte_hnp_uri",
    "PRTE_MCA_prte_launch",
    "PRTE_MCA_prte_local_daemon_uri",
    "PRTE_MCA_prte_num_nodes",
    "PRTE_MCA_prte_parent_uri",
    "PRTE_MCA_prte_top_session_dir",
};
/// Variables of torchrun: its options (PET_*) and the variables that it sets for its workers.
constexpr Pattern kTorchrun[] = {
    "PET_*",
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "GROUP_RANK",
    "GROUP_WORLD_SIZE",
    "NODE_RANK",
    "ROLE_NAME",
    "ROLE_RANK",
    "ROLE_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
    "TORCHELASTIC_*",
};
/// Variables that Horovod, TensorFlow, BytePS and JAX set for their workers.
constexpr Pattern kFrameworks[] = {
    "HOROVOD_RANK",
    "HOROVOD_SIZE",
    "HOROVOD_LOCAL_RANK",
    "HOROVOD_LOCAL_SIZE",
    "HOROVOD_CROSS_RANK",
    "HOROVOD_CROSS_SIZE",
    "HOROVOD_HOSTNAME",
    "HOROVOD_CONTROLLER",
    "HOROVOD_CPU_OPERATIONS",
    "HOROVOD_GLOO_*",
    "HOROVOD_ELASTIC",
    "TF_CONFIG",
    "DMLC_*",
    "JAX_COORDINATOR_ADDRESS",
    "JAX_NUM_PROCESSES",
    "JAX_PROCESS_ID",
};

using Table = std::span<const Pattern>;
/// Tables that do not depend on the batch system.
constexpr Table kEverywhere[] = {kCommandOptions, kProcessManagers, kOpenMpi, kTorchrun,
                                 kFrameworks};

/// Variables that a batch system sets in its jobs. The patterns for SLURM also match the variables
/// that SLURM's commands read as options, because the names of these variables begin in the same
/// way.
struct BatchSystemRow {
  Pattern pattern;
  std::string_view scheduler;  ///< scheduler whose job scripts need the variables; empty = none
};
constexpr BatchSystemRow kBatchSystems[] = {
    {"SLURM_*", "slurm"}, {"SLURMD_*", "slurm"}, {"_SLURM_SPANK_OPTION_*", "slurm"},
    {"OAR_*", "oar"},     {"OARDO_*", "oar"},    {"OARSH_*", "oar"},
    {"OARSUB_*", "oar"},  {"PBS_*", ""},         {"LSB_*", ""},
    {"JSM_*", ""},        {"PE_HOSTFILE", ""},   {"FLUX_JOB_*", ""},
    {"FLUX_TASK_*", ""},  {"COBALT_*", ""},
};

// The following tables list variables of a job that srun reads as options of a step. SLURM sets
// some of them in a job because of the job's directives. The others come from an outer job or from
// a user's shell.

constexpr Pattern kStepResources[] = {
    "SLURM_ACCOUNT",
    "SLURM_ARRAY_*",
    "SLURM_CLUSTER_CONSTRAINT",
    "SLURM_CONSTRAINT",
    "SLURM_CORE_SPEC",
    "SLURM_CPUS_PER_GPU",
    "SLURM_CPU_BIND*",
    "SLURM_CPU_FREQ_REQ",
    "SLURM_DISTRIBUTION",
    "SLURM_DIST_PLANESIZE",
    "SLURM_EXACT",
    "SLURM_EXCLUSIVE",
    "SLURM_GPUS",
    "SLURM_GPUS_PER_NODE",
    "SLURM_GPUS_PER_SOCKET",
    "SLURM_GPUS_PER_TASK",
    "SLURM_GPU_BIND",
    "SLURM_GPU_FREQ",
    "SLURM_GRES",
    "SLURM_GRES_FLAGS",
    "SLURM_HET_*",
    "SLURM_HINT",
    "SLURM_HOSTFILE",
    "SLURM_MEM_BIND*",
    "SLURM_MEM_PER_CPU",
    "SLURM_MEM_PER_GPU",
    "SLURM_NTASKS_PER_CORE",
    "SLURM_NTASKS_PER_GPU",
    "SLURM_NTASKS_PER_SOCKET",
    "SLURM_NTASKS_PER_TRES",
    "SLURM_OVERCOMMIT",
    "SLURM_OVERLAP",
    "SLURM_PACK_*",
    "SLURM_PARTITION",
    "SLURM_QOS",
    "SLURM_REQ_SWITCH",
    "SLURM_RESERVATION",
    "SLURM_RESV_PORTS",
    "SLURM_SPREAD_JOB",
    "SLURM_THREADS",
    "SLURM_THREADS_PER_CORE",
    "SLURM_THREAD_SPEC",
    "SLURM_TIMELIMIT",
    "SLURM_TRES_BIND",
    "SLURM_TRES_PER_TASK",
    "SLURM_USE_MIN_NODES",
    "SLURM_WAIT4SWITCH",
    "SLURM_WCKEY",
};
constexpr Pattern kStepBehaviour[] = {
    "SLURM_BCAST",
    "SLURM_BCAST_EXCLUDE",
    "SLURM_BURST_BUFFER",
    "SLURM_COMPRESS",
    "SLURM_CONTAINER",
    "SLURM_CONTAINER_ID",
    "SLURM_DEBUG",
    "SLURM_DEBUG_FLAGS",
    "SLURM_DELAY_BOOT",
    "SLURM_DEPENDENCY",
    "SLURM_DISABLE_STATUS",
    "SLURM_EPILOG",
    "SLURM_EXIT_ERROR",
    "SLURM_EXIT_IMMEDIATE",
    "SLURM_EXPORT_ENV",
    "SLURM_IMMEDIATE",
    "SLURM_KILL_BAD_EXIT",
    "SLURM_LABELIO",
    "SLURM_LAUNCH_NODE_IPADDR",
    "SLURM_NO_KILL",
    "SLURM_OOM_KILL_STEP",
    "SLURM_PROLOG",
    "SLURM_REMOTE_CWD",
    "SLURM_SEND_LIBS",
    "SLURM_SIGNAL",
    "SLURM_SRUN_*",
    "SLURM_STDERRMODE",
    "SLURM_STDINMODE",
    "SLURM_STDOUTMODE",
    "SLURM_STEPID",
    "SLURM_STEP_*",
    "SLURM_TASK_EPILOG",
    "SLURM_TASK_PROLOG",
    "SLURM_TEST_EXEC",
    "SLURM_TIME_FORMAT",
    "SLURM_TREE_WIDTH",
    "SLURM_UNBUFFEREDIO",
    "SLURM_WAIT",
    "SLURM_WORKING_DIR",
};
constexpr Table kStepOptions[] = {kStepResources, kStepBehaviour};

/// Variables that name the GPUs of an outer job. Programs for a batch system do not get them,
/// because the batch system assigns other GPUs to each job. Jobs on the local machine get them,
/// because these jobs share the GPUs of the outer job.
constexpr Pattern kDevices[] = {
    "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
    "GPU_DEVICE_ORDINAL",   "ZE_AFFINITY_MASK",
};

bool any_matches(Table patterns, std::string_view name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](Pattern pattern) { return matches_variable(pattern, name); });
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

bool matches_variable(std::string_view pattern, std::string_view name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

bool is_inherited_variable(std::string_view name) {
  return is_removed_variable(name, "", {});
}

bool is_removed_variable(std::string_view name, std::string_view scheduler,
                         const std::vector<std::string>& kept) {
  if (contains(kept, name) || any_matches(kPassing, name)) return false;
  if (any_matches(kDevices, name)) return scheduler != "local";
  const bool of_batch_system =
      std::any_of(std::begin(kBatchSystems), std::end(kBatchSystems),
                  [&](const BatchSystemRow& row) { return matches_variable(row.pattern, name); });
  return of_batch_system || std::any_of(std::begin(kEverywhere), std::end(kEverywhere),
                                        [&](Table table) { return any_matches(table, name); });
}

ScriptVariables script_variables(std::string_view scheduler, const std::vector<std::string>& own,
                                 const std::vector<std::string>& kept) {
  ScriptVariables result;
  result.kept.assign(kept.begin(), kept.end());
  for (const Pattern pattern : kPassing) result.kept.emplace_back(pattern);
  const auto add = [&](Pattern pattern) {
    if (!contains(own, pattern)) result.unset.emplace_back(pattern);
  };
  for (const Table table : kEverywhere) std::for_each(table.begin(), table.end(), add);
  for (const BatchSystemRow& row : kBatchSystems) {
    if (row.scheduler != scheduler) add(row.pattern);
  }
  if (scheduler != "slurm") return result;
  for (const Table table : kStepOptions) std::for_each(table.begin(), table.end(), add);
  return result;
}

}  // namespace dlscale::base
