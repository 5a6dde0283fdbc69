// SPDX-License-Identifier: Apache-2.0
// Tests of how jobs use the nodes and GPUs that OAR assigned to them.
#include <catch2/catch.hpp>

#include "tests/planner/script_bench.hpp"

using namespace dlscale;
using test::ScriptBench;

TEST_CASE("a job uses only its own GPUs if OAR shows the GPUs of other jobs") {
  ScriptBench bench;
  bench.scheduler = "oar";
  bench.program("mpirun", "echo \"$CUDA_VISIBLE_DEVICES\" > \"${0%/*}/devices\"");
  bench.program("nvidia-smi", "printf 'GPU %s: Tesla\\n' 0 1 2 3");
  bench.plan();
  base::write_file_atomically(bench.dir / "nodes", "n1\nn1\n");
  base::write_file_atomically(bench.dir / "resources",
                              " gpu = '9' , gpudevice = '3' , host = 'n1' \n"
                              " gpu = '9' , gpudevice = '3' , host = 'n1' \n"
                              " gpudevice = '1' , host = 'n1' , gpu = '7' \n");
  const std::string folder = bench.dir.path().string();
  const std::string job = "OAR_NODEFILE=" + folder +
                          "/nodes OAR_RESOURCE_PROPERTIES_FILE=" + folder + "/resources " +
                          bench.script();
  CHECK(test::run_bash(job).exit_code == 0);
  CHECK(bench.text("devices") == "1,3\n");
  CHECK(test::run_bash("CUDA_VISIBLE_DEVICES=0,2 " + job).exit_code == 0);
  CHECK(bench.text("devices") == "0,2\n");
}

TEST_CASE("the ranks of each node follow from the shape that OAR chose") {
  for (const std::string launcher : {"oarsh", "mpirun"}) {
    ScriptBench bench;
    bench.scheduler = "oar";
    bench.launcher = launcher;
    bench.partition_keys = "moldable = true";
    bench.study.matrix = "model = 'mlp'\ngpus = 4\nbatch_per_gpu = 32";
    bench.program("mpirun", "echo \"$*\"");
    bench.plan();
    const std::string nodes = (bench.dir / "nodes").string();
    base::write_file_atomically(nodes, "a\na\nb\nb\n");
    const auto result = test::run_bash("OAR_NODEFILE=" + nodes + " " + bench.script());
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("-machinefile " + nodes + " -x PATH ") != std::string::npos);
    CHECK(result.out.find("-np 4 --map-by ppr:2:node ") != std::string::npos);
    CHECK((result.out.find("plm_rsh_agent oarsh") != std::string::npos) == (launcher == "oarsh"));
  }
}

TEST_CASE("mpirun gets the nodes of an OAR job and the number of ranks per node") {
  ScriptBench bench;
  bench.scheduler = "oar";
  bench.study.matrix = "model = 'mlp'\ngpus = 8\nbatch_per_gpu = 32";
  bench.program("mpirun", "echo \"$*\"");
  bench.plan();
  const std::string out =
      test::run_bash("unset LD_LIBRARY_PATH; OAR_NODEFILE=/n " + bench.script()).out;
  CHECK(out.find("-machinefile /n -x PATH -np 8 --map-by ppr:4:node ") != std::string::npos);
}

TEST_CASE("OAR can choose the shape of a job only if its ranks follow the shape") {
  for (const std::string launcher : {"oarsh", "mpirun"}) {
    for (const std::string kind : {"", "ranks", "torchrun", "plain"}) {
      for (const std::string launch : {"", "array = true", "pack = true"}) {
        ScriptBench bench;
        bench.scheduler = "oar";
        bench.launcher = launcher;
        bench.partition_keys = "moldable = true";
        bench.study.rest = "[launch]\n" + launch;
        if (!kind.empty()) bench.trainer = {.command = "true", .launcher = kind};
        bench.plan();
        INFO(launcher << " " << kind << " " << launch);
        const std::string name = bench.planning.plan.jobs[0].name;
        const std::string text = base::read_file(bench.out.job_script(name));
        const bool follows = (kind.empty() || kind == "ranks") && launch != "pack = true";
        CHECK((text.find("#OAR -l /nodes=2/gpu=1,") != std::string::npos) == follows);
        CHECK((text.find("ranks_per_node=$((") != std::string::npos) == follows);
        CHECK((text.find("\"ppr:$ranks_per_node:node\"") != std::string::npos) == follows);
      }
    }
  }
}
