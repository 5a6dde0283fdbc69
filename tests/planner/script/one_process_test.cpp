// SPDX-License-Identifier: Apache-2.0
// Tests of data_parallel runs: one process uses all GPUs of a run with every launcher.
#include <catch2/catch.hpp>

#include "tests/planner/script_bench.hpp"

using namespace dlscale;
using Catch::Contains;
using test::ScriptBench;

namespace {

struct DataParallelBench : ScriptBench {
  DataParallelBench(const std::string& batch_system, const std::string& starter) {
    scheduler = batch_system;
    launcher = starter;
    study.matrix = "model = 'mlp'\nframework = 'data_parallel'\ngpus = 2\nbatch_per_gpu = [32, 64]";
  }
};

std::string one_process_script(ScriptBench& bench) {
  bench.plan();
  return base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
}

}  // namespace

TEST_CASE("the SLURM script requests one task with the cores and GPUs of all devices") {
  DataParallelBench bench("slurm", "srun");
  const std::string script = one_process_script(bench);
  CHECK_THAT(script, Contains("#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=1\n"
                              "#SBATCH --cpus-per-task=2\n#SBATCH --gres=gpu:2\n"));
  CHECK_THAT(script, Contains("--nodes=1 --ntasks=1 --ntasks-per-node=1 \\\n"
                              "    --cpus-per-task=2 \"$@\""));
  const contract::RunSpec run = bench.planning.run(0);
  CHECK(run.gpus == 2);
  CHECK(run.resources.nodes == 1);
  CHECK(run.resources.ranks_per_node == 2);
}

TEST_CASE("mpirun starts one process and can bind it to the cores of all devices") {
  DataParallelBench slurm("slurm", "mpirun");
  slurm.partition_keys = "exclusive = true";
  CHECK_THAT(one_process_script(slurm), Contains("--bind-to core -np 1 --map-by ppr:1:node:PE=2 "));
  for (const std::string launcher : {"mpirun", "oarsh"}) {
    DataParallelBench oar("oar", launcher);
    oar.site_keys = "bind = 'cores'";
    oar.partition_keys = "moldable = true";
    const std::string script = one_process_script(oar);
    CHECK_THAT(script, Contains("#OAR -l /nodes=1/gpu=2,walltime=1:00:00\n"));
    CHECK(script.find("#OAR -l /nodes=2") == script.npos);
    CHECK_THAT(script, Contains(" -np 1 "));
    CHECK_THAT(script, Contains(" --map-by ppr:1:node:PE=2 "));
  }
  DataParallelBench local("local", "mpirun");
  CHECK_THAT(one_process_script(local), Contains("exec mpirun --bind-to none -np 1 \"$@\""));
}

TEST_CASE("runs of one process and runs of several ranks are in separate arrays") {
  DataParallelBench bench("slurm", "srun");
  bench.study.matrix =
      "model = 'mlp'\nframework = ['ddp', 'data_parallel']\ngpus = 2\nbatch_per_gpu = [32, 64]";
  bench.study.rest = "[launch]\narray = true";
  bench.plan();
  REQUIRE(bench.planning.plan.jobs.size() == 2);
  const auto script = [&](std::size_t job) {
    return base::read_file(bench.out.job_script(bench.planning.plan.jobs[job].name));
  };
  CHECK_THAT(script(0), Contains("#SBATCH --ntasks-per-node=2\n"));
  CHECK_THAT(script(1), Contains("#SBATCH --ntasks-per-node=1\n"));
}

TEST_CASE("each packed data_parallel run is one process on the GPUs of its devices") {
  DataParallelBench bench("slurm", "srun");
  bench.study.rest = "[launch]\npack = true";
  bench.partition_keys = "max_walltime = '10:00:00'";
  bench.program("srun", "echo \"$*\" >> \"${0%/*}/words\"");
  bench.plan();
  REQUIRE(bench.planning.plan.jobs.size() == 1);
  const auto result = test::run_bash(bench.script());
  INFO(result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(bench.text("words"),
             Contains("--exact --nodes=1 --ntasks=1 --cpus-per-task=2 --gres=gpu:2 "));
  DataParallelBench oar("oar", "mpirun");
  oar.study.rest = "[launch]\npack = true";
  oar.partition_keys = "max_walltime = '10:00:00'";
  CHECK_THAT(one_process_script(oar), Contains(" --bind-to none -np 1 "));
}

TEST_CASE("more devices than GPUs per node are rejected") {
  DataParallelBench bench("slurm", "srun");
  bench.study.matrix = "model = 'mlp'\nframework = 'data_parallel'\ngpus = 8\nbatch_per_gpu = 32";
  CHECK_THROWS_WITH(bench.plan(),
                    Contains("matrix.gpus: 8 GPUs do not fit on site") &&
                        Contains("(p: one process needs 8 devices, but nodes have 4)"));
}

TEST_CASE("an external trainer starts its own processes for every framework name") {
  DataParallelBench bench("slurm", "srun");
  bench.study.rest = "[trainer]\ncommand = 'train.py'\nlog_format = 'timm'\nlauncher = 'ranks'\n";
  CHECK_THAT(one_process_script(bench), Contains("#SBATCH --ntasks-per-node=2\n"));
}
