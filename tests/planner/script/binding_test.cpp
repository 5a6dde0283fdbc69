// SPDX-License-Identifier: Apache-2.0
// Tests of the cores to which launchers bind each rank.
#include <catch2/catch.hpp>

#include "tests/planner/script_bench.hpp"

using namespace dlscale;
using Catch::Contains;
using test::ScriptBench;

namespace {

std::string first_script(ScriptBench& bench) {
  bench.plan();
  return base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
}

}  // namespace

TEST_CASE("srun binds each rank to its cores") {
  ScriptBench bench;
  bench.launcher = "srun";
  bench.site_keys = "launcher_args = ['--cpu-bind=map_cpu:2,3']";
  CHECK_THAT(first_script(bench), Contains("exec srun --cpu-bind=cores --cpu-bind=map_cpu:2,3 "));
  ScriptBench unbound;
  unbound.launcher = "srun";
  unbound.site_keys = "bind = 'none'";
  CHECK_THAT(first_script(unbound), Contains("exec srun --cpu-bind=none \\\n"));
  ScriptBench hint;  // srun does not accept --hint together with --cpu-bind
  hint.launcher = "srun";
  hint.partition_keys = "hint = 'nomultithread'";
  CHECK_THAT(first_script(hint), Contains("exec srun \\\n"));
}

TEST_CASE("mpirun binds ranks to cores only if no other job can use the same cores") {
  struct Case {
    std::string scheduler, launcher, site_keys, partition_keys, launch;
    bool binds;
  };
  for (const Case& one : {Case{"slurm", "mpirun", "", "", "", false},
                          Case{"slurm", "mpirun", "bind = 'cores'", "", "", true},
                          Case{"slurm", "mpirun", "", "exclusive = true", "", true},
                          Case{"slurm", "mpirun", "bind = 'none'", "exclusive = true", "", false},
                          Case{"oar", "oarsh", "", "", "", false},
                          Case{"oar", "oarsh", "bind = 'cores'", "", "", true},
                          Case{"oar", "mpirun", "bind = 'cores'", "", "", true},
                          Case{"oar", "oarsh", "", "exclusive = true", "", true},
                          Case{"oar", "oarsh", "bind = 'cores'", "", "pack = true", false},
                          Case{"slurm", "mpirun", "", "exclusive = true", "pack = true", false},
                          Case{"local", "mpirun", "", "", "", false}}) {
    ScriptBench bench;
    bench.scheduler = one.scheduler;
    bench.launcher = one.launcher;
    bench.site_keys = one.site_keys + "\ncores_per_rank = 1";
    bench.partition_keys = one.partition_keys;
    bench.study.rest = "[launch]\n" + one.launch;
    const std::string script = first_script(bench);
    INFO(script);
    CHECK((script.find("exec mpirun --bind-to core ") != script.npos) == one.binds);
    CHECK((script.find(" --map-by ppr:2:node:PE=1 ") != script.npos) == one.binds);
    CHECK((script.find("exec mpirun --bind-to none ") != script.npos) == !one.binds);
  }
}

TEST_CASE("mpirun requests at most the cores that come with the GPUs of an OAR job") {
  ScriptBench bench;  // nodes with one core per GPU
  bench.scheduler = "oar";
  bench.site_keys = "bind = 'cores'\ncores_per_rank = 2";
  CHECK_THAT(first_script(bench), Contains(" --map-by ppr:2:node:PE=1 "));
  ScriptBench whole;
  whole.scheduler = "oar";
  whole.site_keys = "cores_per_rank = 2";
  whole.partition_keys = "exclusive = true";
  CHECK_THAT(first_script(whole), Contains(" --map-by ppr:2:node:PE=2 "));
}

TEST_CASE("a moldable job binds its ranks in each of its shapes") {
  for (const std::string launcher : {"oarsh", "mpirun"}) {
    ScriptBench bench;
    bench.scheduler = "oar";
    bench.launcher = launcher;
    bench.site_keys = "bind = 'cores'";
    bench.partition_keys = "moldable = true";
    CHECK_THAT(first_script(bench), Contains(" --map-by \"ppr:$ranks_per_node:node:PE=1\" "));
  }
}
