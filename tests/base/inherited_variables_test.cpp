// SPDX-License-Identifier: Apache-2.0
#include "base/inherited_variables.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace dlscale;

namespace {

bool has(const std::vector<std::string_view>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string_view pattern) {
    return base::matches_variable(pattern, name);
  });
}

}  // namespace

TEST_CASE("a pattern is a name or a prefix followed by a star") {
  CHECK(base::matches_variable("SLURM_GPUS", "SLURM_GPUS"));
  CHECK_FALSE(base::matches_variable("SLURM_GPUS", "SLURM_GPUS_ON_NODE"));
  CHECK(base::matches_variable("SBATCH_*", "SBATCH_ACCOUNT"));
  CHECK_FALSE(base::matches_variable("SBATCH_*", "MY_SBATCH_ACCOUNT"));
  CHECK_FALSE(base::matches_variable("SBATCH_*", "SBATCH"));
}

TEST_CASE("options of commands, outer jobs and outer launchers are removed on every scheduler") {
  for (const char* name : {"SBATCH_TIMELIMIT",
                           "SBATCH_EXPORT",
                           "SALLOC_PARTITION",
                           "SRUN_CPUS_PER_TASK",
                           "SQUEUE_FORMAT",
                           "SQUEUE_SORT",
                           "SACCT_FORMAT",
                           "SCANCEL_NAME",
                           "SINFO_FORMAT",
                           "SCONTROL_ALL",
                           "SLURM_JOB_ID",
                           "SLURM_MEM_PER_CPU",
                           "SLURM_GPUS_PER_TASK",
                           "SLURM_GPUS",
                           "SLURM_DISTRIBUTION",
                           "SLURM_EXPORT_ENV",
                           "SLURM_CPUS_PER_TASK",
                           "SLURM_TRES_PER_TASK",
                           "SLURM_NTASKS_PER_NODE",
                           "SLURM_NNODES",
                           "SLURM_TIME_FORMAT",
                           "SLURM_MPI_TYPE",
                           "_SLURM_SPANK_OPTION_pyxis_container_image",
                           "SLURMD_NODENAME",
                           "OAR_JOB_ID",
                           "OAR_JOB_KEY_FILE",
                           "OARDO_USER",
                           "PBS_NODEFILE",
                           "PMI_RANK",
                           "PMI2_FD",
                           "PMIX_RANK",
                           "PMIX_SERVER_URI41",
                           "OMPI_COMM_WORLD_RANK",
                           "OMPI_UNIVERSE_SIZE",
                           "OMPI_MCA_ess",
                           "OMPI_MCA_orte_hnp_uri",
                           "PRTE_LAUNCHED",
                           "PRTE_MCA_ess_base_nspace",
                           "MPI_LOCALRANKID",
                           "HYDRA_LAUNCHER",
                           "HYDI_CONTROL_FD",
                           "RANK",
                           "WORLD_SIZE",
                           "LOCAL_RANK",
                           "MASTER_ADDR",
                           "MASTER_PORT",
                           "TORCHELASTIC_RUN_ID",
                           "PET_NNODES",
                           "HOROVOD_RANK",
                           "TF_CONFIG"}) {
    INFO(name);
    CHECK(base::is_inherited_variable(name));
    for (const char* scheduler : {"local", "slurm", "oar"}) {
      CHECK(base::is_removed_variable(name, scheduler, {}));
    }
  }
}

TEST_CASE("variables for cluster access, installations and library settings are kept") {
  for (const char* name : {"SLURM_CONF",
                           "SLURM_CONF_SERVER",
                           "SLURM_CLUSTERS",
                           "SLURM_JWT",
                           "SLURM_HOME",
                           "PATH",
                           "HOME",
                           "LD_LIBRARY_PATH",
                           "OMP_NUM_THREADS",
                           "NCCL_DEBUG",
                           "OMPI_MCA_btl",
                           "OMPI_MCA_btl_tcp_if_include",
                           "OMPI_ALLOW_RUN_AS_ROOT",
                           "PMIX_MCA_gds",
                           "I_MPI_HYDRA_BOOTSTRAP",
                           "HOROVOD_FUSION_THRESHOLD",
                           "HOROVOD_TIMELINE",
                           "RANKING",
                           "MY_SLURM_JOB_ID",
                           "SBATCHES"}) {
    INFO(name);
    CHECK_FALSE(base::is_inherited_variable(name));
    CHECK_FALSE(base::is_removed_variable(name, "slurm", {}));
  }
}

TEST_CASE("only the exact variables that the site keeps are kept") {
  CHECK_FALSE(base::is_removed_variable("SBATCH_ACCOUNT", "slurm", {"SBATCH_ACCOUNT"}));
  CHECK(base::is_removed_variable("SBATCH_ACCOUNT_2", "slurm", {"SBATCH_ACCOUNT"}));
}

TEST_CASE("GPU visibility variables are kept for local jobs and removed for batch jobs") {
  CHECK_FALSE(base::is_removed_variable("CUDA_VISIBLE_DEVICES", "local", {}));
  CHECK(base::is_removed_variable("CUDA_VISIBLE_DEVICES", "slurm", {}));
  CHECK(base::is_removed_variable("ROCR_VISIBLE_DEVICES", "oar", {}));
}

TEST_CASE("a SLURM script keeps variables that SLURM sets and unsets other srun options") {
  const auto script = base::script_variables("slurm", {}, {});
  for (const char* own :
       {"SLURM_JOB_ID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_NNODES",
        "SLURM_CPUS_PER_TASK", "SLURM_MEM_PER_NODE", "SLURM_JOB_NODELIST", "SLURM_PROCID",
        "SLURM_GPUS_ON_NODE", "SLURM_TASKS_PER_NODE", "CUDA_VISIBLE_DEVICES"}) {
    INFO(own);
    CHECK_FALSE(has(script.unset, own));
  }
  for (const char* other :
       {"SLURM_EXPORT_ENV", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_GPU", "SLURM_GPUS",
        "SLURM_GPUS_PER_TASK", "SLURM_CPU_BIND", "SLURM_CPU_BIND_LIST", "SLURM_STEP_ID",
        "SLURM_HET_SIZE", "SLURM_DISTRIBUTION", "SRUN_EXPORT_ENV", "SBATCH_EXPORT", "OAR_JOB_ID",
        "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "RANK"}) {
    INFO(other);
    CHECK(has(script.unset, other));
  }
}

TEST_CASE("a script keeps variables named by its directives or its site") {
  const auto script = base::script_variables("slurm", {"SLURM_GPUS_PER_NODE"}, {"SBATCH_ACCOUNT"});
  CHECK_FALSE(has(script.unset, "SLURM_GPUS_PER_NODE"));
  CHECK(has(script.kept, "SBATCH_ACCOUNT"));
  CHECK(has(script.kept, "SLURM_CONF"));
}

TEST_CASE("a script unsets job variables of other batch systems but not of its own") {
  CHECK(has(base::script_variables("oar", {}, {}).unset, "SLURM_JOB_ID"));
  CHECK_FALSE(has(base::script_variables("oar", {}, {}).unset, "OAR_JOB_ID"));
  const auto local = base::script_variables("local", {}, {});
  CHECK(has(local.unset, "SLURM_JOB_ID"));
  CHECK(has(local.unset, "OAR_NODEFILE"));
}
