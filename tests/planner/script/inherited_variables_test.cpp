// SPDX-License-Identifier: Apache-2.0
// Tests of the environment of ranks if the job script starts with variables of an outer job, an
// outer launcher or the shell of a user.
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/planner/script_bench.hpp"

using namespace dlscale;
using Catch::Contains;
using test::ScriptBench;

namespace {

/// Bench with srun and mpirun that record their environment variables.
struct NotingBench : ScriptBench {
  explicit NotingBench(const std::string& on = "slurm") {
    scheduler = on;
    launcher = on == "slurm" ? "srun" : "mpirun";
    for (const char* name : {"srun", "mpirun"}) program(name, "env | sort > \"${0%/*}/found\"");
    study.matrix = "model = 'mlp'\ngpus = 2\nbatch_per_gpu = 32";
  }
  /// Returns the environment of the launcher if the script starts with `variables`.
  std::string found(const std::string& variables) {
    plan();
    const auto result = test::run_bash("export " + variables + "; " + script());
    INFO(result.out);
    CHECK(result.exit_code == 0);
    return "\n" + text("found");
  }
};

}  // namespace

TEST_CASE("ranks get the variables that SLURM sets, without those of an outer job") {
  NotingBench bench;
  bench.partition_keys = "memory_gb = 4\nmemory_request = true";
  const std::string found = bench.found(
      "SLURM_JOB_ID=7 SLURM_NTASKS=2 SLURM_MEM_PER_NODE=1907 SLURM_CPUS_PER_TASK=1 "
      "SLURM_CONF=c SLURM_EXPORT_ENV=NONE SRUN_EXPORT_ENV=NONE SLURM_MEM_PER_CPU=300 "
      "SLURM_MEM_PER_GPU=1 SLURM_GPUS=1 SLURM_GPUS_PER_NODE=1 SLURM_GPUS_PER_TASK=1 "
      "SLURM_TRES_PER_TASK=cpu=9 SLURM_DISTRIBUTION=cyclic SLURM_CPU_BIND=mask_cpu:0x1 "
      "SLURM_STEP_ID=3 SLURM_HET_SIZE=2 SLURM_ARRAY_TASK_ID=4 SBATCH_TIMELIMIT=5 "
      "SBATCH_ACCOUNT=p OMPI_COMM_WORLD_RANK=1 OMPI_MCA_ess=^singleton PMIX_RANK=1 PMI_FD=5 "
      "RANK=1 WORLD_SIZE=2 MASTER_ADDR=x OMPI_MCA_btl=self NCCL_DEBUG=INFO");
  for (const char* own :
       {"SLURM_JOB_ID=7", "SLURM_NTASKS=2", "SLURM_MEM_PER_NODE=1907", "SLURM_CPUS_PER_TASK=1",
        "SLURM_CONF=c", "OMPI_MCA_btl=self", "NCCL_DEBUG=INFO"}) {
    CHECK_THAT(found, Contains(std::string("\n") + own + "\n"));
  }
  for (const char* other :
       {"SLURM_EXPORT_ENV", "SRUN_", "SLURM_MEM_PER_CPU", "SLURM_MEM_PER_GPU", "SLURM_GPUS",
        "SLURM_TRES_PER_TASK", "SLURM_DISTRIBUTION", "SLURM_CPU_BIND", "SLURM_STEP_ID",
        "SLURM_HET_", "SLURM_ARRAY_", "SBATCH_", "OMPI_COMM_WORLD_", "OMPI_MCA_ess", "PMIX_",
        "PMI_", "RANK=", "WORLD_SIZE", "MASTER_ADDR"}) {
    CHECK_THAT(found, !Contains(std::string("\n") + other));
  }
}

TEST_CASE("variables that the site sets or keeps reach the ranks") {
  NotingBench bench;
  bench.site_keys =
      "modules = ['export SLURM_MPI_TYPE=pmix MASTER_PORT=9']\nkeep_environment = "
      "['SBATCH_ACCOUNT', 'SLURM_GPU_BIND']";
  const std::string found =
      bench.found("SBATCH_ACCOUNT=p SBATCH_QOS=q SLURM_GPU_BIND=none MASTER_PORT=1");
  CHECK_THAT(found, Contains("\nSBATCH_ACCOUNT=p\n") && Contains("\nSLURM_GPU_BIND=none\n") &&
                        Contains("\nSLURM_MPI_TYPE=pmix\n") && Contains("\nMASTER_PORT=9\n") &&
                        !Contains("SBATCH_QOS"));
}

TEST_CASE("options that SLURM sets for the directives of the script are kept") {
  NotingBench bench;
  bench.partition_keys = "gpu_request = 'gpus-per-node'\nhint = 'nomultithread'";
  const std::string found = bench.found(
      "SLURM_GPUS_PER_NODE=2 SLURM_HINT=nomultithread SLURM_THREADS_PER_CORE=1 SLURM_GPUS=7");
  CHECK_THAT(found, Contains("\nSLURM_GPUS_PER_NODE=2\n") &&
                        Contains("\nSLURM_HINT=nomultithread\n") &&
                        Contains("\nSLURM_THREADS_PER_CORE=1\n") && !Contains("SLURM_GPUS=7"));
}

TEST_CASE("tasks of an array get their task number") {
  NotingBench bench;
  bench.study.matrix = "model = 'mlp'\ngpus = 2\nbatch_per_gpu = [32, 64]";
  bench.study.rest = "[launch]\narray = true";
  CHECK_THAT(bench.found("SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=1"),
             Contains("\nSLURM_ARRAY_TASK_ID=1\n"));
}

TEST_CASE("job scripts name only the kept variables, and all names are in a file of the plan") {
  NotingBench bench;
  bench.study.rest = "[launch]\narray = true";
  bench.study.matrix = "model = 'mlp'\ngpus = 2\nbatch_per_gpu = [32, 64]";
  bench.site_keys = "keep_environment = ['SBATCH_ACCOUNT']";
  bench.plan();
  const std::string script =
      base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
  CHECK_THAT(script, Contains("\nunset_inherited keep=SLURM_MEM_PER_CPU keep='SLURM_ARRAY_*'\n") &&
                         !Contains("OMPI_COMM_WORLD_") && !Contains("SBATCH_ACCOUNT"));
  CHECK_THAT(base::read_file(bench.out.inherited_variables()), Contains("OMPI_COMM_WORLD_*") &&
                                                                   Contains("SBATCH_ACCOUNT |") &&
                                                                   Contains("SLURM_ARRAY_*"));
}

TEST_CASE("a job without the file of variable names ends before training starts") {
  NotingBench bench;
  bench.program("srun", "touch \"${0%/*}/started\"");
  bench.plan();
  std::filesystem::remove(bench.out.inherited_variables());
  const auto result = test::run_bash(bench.script());
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.out, Contains("inherited_variables.sh"));
  CHECK_FALSE(std::filesystem::exists(bench.dir / "started"));
  CHECK(planner::write_plan(bench.planning, test::shipped_resources(), bench.out).written == 1);
  CHECK(test::run_bash(bench.script()).exit_code == 0);
}

TEST_CASE("one default memory limit is kept, and two conflicting limits are removed") {
  CHECK_THAT(NotingBench().found("SLURM_MEM_PER_CPU=300"), Contains("\nSLURM_MEM_PER_CPU=300\n"));
  CHECK_THAT(NotingBench().found("SLURM_MEM_PER_NODE=300"), Contains("\nSLURM_MEM_PER_NODE=300\n"));
  CHECK_THAT(NotingBench().found("SLURM_MEM_PER_NODE=300 SLURM_MEM_PER_CPU=9"),
             !Contains("SLURM_MEM_PER_"));
}

TEST_CASE("a local script started in a SLURM job does not inherit the variables of the job") {
  NotingBench bench("local");
  const std::string found = bench.found(
      "SLURM_JOB_ID=7 SLURM_NODELIST=a SLURM_CONF=c PBS_NODEFILE=f OMPI_UNIVERSE_SIZE=2 "
      "OMPI_ALLOW_RUN_AS_ROOT=1");
  CHECK_THAT(found, Contains("\nSLURM_CONF=c\n") && Contains("\nOMPI_ALLOW_RUN_AS_ROOT=1\n") &&
                        !Contains("\nSLURM_JOB_ID") && !Contains("\nSLURM_NODELIST") &&
                        !Contains("PBS_NODEFILE") && !Contains("OMPI_UNIVERSE_SIZE"));
}

TEST_CASE("torchrun uses the rendezvous host that the site's command prints") {
  ScriptBench bench;
  bench.launcher = "srun";
  bench.site_keys = "rendezvous_host = \"cat node | sed 's/$/i/'\"";
  bench.study.matrix = "model = 'mlp'\ngpus = 8\nbatch_per_gpu = 32";
  bench.trainer = {.command = "train.py", .launcher = "torchrun"};
  bench.program("torchrun", "printf '<%s>' \"$@\"");
  // The fake srun gives the second node another name.
  bench.program("srun",
                "while [[ $1 == --* ]]; do shift; done; echo n1 > node; \"$@\"; echo n2 > node; "
                "echo; \"$@\"");
  bench.plan();
  base::write_file_atomically(bench.out.root() / "node", "n1\n");
  const auto result = test::run_bash("SLURM_JOB_ID=1007 " + bench.script());
  INFO(result.out);
  CHECK(result.exit_code == 0);
  std::istringstream words(base::read_file(bench.out.run(bench.run_id(0)).launch(1).out()));
  std::string first, second;
  std::getline(words, first);
  std::getline(words, second);
  const std::string start =
      "<--nnodes=2><--nproc-per-node=4><--rdzv-backend=c10d><--rdzv-endpoint=n1i:29507>"
      "<--rdzv-id=1007>";
  CHECK(first == start + "<--local-addr=n1i><--rdzv-conf=is_host=true><train.py>");
  CHECK(second == start + "<--local-addr=n2i><--rdzv-conf=is_host=false><train.py>");
}

TEST_CASE("a rendezvous command without a host name ends the job before training starts") {
  for (const char* command : {"true", "echo two names", "echo \"$(false", "echo 'a;b'"}) {
    INFO(command);
    ScriptBench bench;
    bench.launcher = "srun";
    bench.site_keys = std::string("rendezvous_host = '''") + command + "'''";
    bench.study.matrix = "model = 'mlp'\ngpus = 8\nbatch_per_gpu = 32";
    bench.trainer = {.command = "train.py", .launcher = "torchrun"};
    for (const char* name : {"torchrun", "srun"}) bench.program(name, "touch started");
    bench.plan();
    const auto result = test::run_bash(bench.script());
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.out, Contains("rendezvous_host must print one name or IPv4 address"));
    CHECK_FALSE(std::filesystem::exists(bench.out.root() / "started"));
  }
}
