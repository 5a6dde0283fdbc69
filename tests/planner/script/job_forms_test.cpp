// SPDX-License-Identifier: Apache-2.0
// Tests of packed jobs, array tasks, external trainers and containers in bash.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "contract/run_spec/run_spec.hpp"
#include "tests/planner/judged_scripts.hpp"
#include "tests/planner/script_bench.hpp"

using namespace dlscale;
namespace fs = std::filesystem;
using test::ScriptBench;

namespace {

/// Fake mpirun that logs the begin and the end of a run with its visible GPUs.
constexpr const char* kNotingMpirun = R"(run=${@: -1}
folder=${0%/*}
echo "begin $CUDA_VISIBLE_DEVICES ${run#runs/}" >> "$folder/log"
sleep 0.1
echo "end $CUDA_VISIBLE_DEVICES ${run#runs/}" >> "$folder/log"
case $run in *b64-*) exit 3 ;; esac)";

struct PackedBench : ScriptBench {
  explicit PackedBench(const std::string& mpirun) {
    study.matrix = "model = 'mlp'\ngpus = [1, 2, 3]\nbatch_per_gpu = [32, 64]";
    study.rest = "[launch]\npack = true";
    partition_keys = "max_walltime = '10:00:00'";
    program("mpirun", mpirun);
    plan();
  }
};

/// Returns whether no two runs used a GPU at the same time. Sets `most` to the largest number of
/// GPUs in use at a time.
bool exclusive_use(const std::string& log, std::size_t& most) {
  std::istringstream lines(log);
  std::set<std::string> in_use;
  for (std::string event, devices, run; lines >> event >> devices >> run;) {
    std::istringstream list(devices);
    for (std::string gpu; std::getline(list, gpu, ',');) {
      if (event == "begin" ? !in_use.insert(gpu).second : in_use.erase(gpu) == 0) return false;
    }
    most = std::max(most, in_use.size());
  }
  return in_use.empty();
}

}  // namespace

TEST_CASE("a packed job executes all runs on separate GPUs and logs each end") {
  const PackedBench bench(kNotingMpirun);
  REQUIRE(bench.planning.plan.jobs.size() == 1);
  const auto result = test::run_bash("CUDA_VISIBLE_DEVICES=4,5,6,7 " + bench.script());
  INFO(result.out << bench.text("log"));
  CHECK(result.exit_code == 3);
  std::size_t most = 0;
  CHECK(exclusive_use(bench.text("log"), most));
  CHECK(most == 4);
  std::map<std::string, int> codes;
  for (const auto& end : bench.ends()) codes[end.run_id] = end.exit_code;
  REQUIRE(codes.size() == 6);
  CHECK(bench.ends().size() == 6);
  for (const auto& run : bench.planning.plan.runs) {
    CHECK(codes.at(run.run_id) == (run.batch_per_gpu == 64 ? 3 : 0));
    CHECK(fs::exists(bench.out.job_out(run.run_id)));
  }
}

TEST_CASE("a stopped packed job stops its runs, starts no more runs and logs every run") {
  const PackedBench bench(
      "trap 'exit 143' TERM; touch \"${0%/*}/started\"; while :; do sleep 0.05; done");
  const auto result =
      test::run_bash(bench.script() + " & while [ ! -e " + (bench.dir / "started").string() +
                     " ]; do sleep 0.05; done; sleep 0.2; kill -TERM $!; wait $!");
  CHECK(result.exit_code == 143);
  REQUIRE(bench.ends().size() == 6);
  std::set<std::string> runs;
  for (const auto& end : bench.ends()) {
    runs.insert(end.run_id);
    CHECK(end.exit_code == 143);
    CHECK(end.reason == "got SIGTERM");
    CHECK(end.outcome == contract::RunOutcome::Cancelled);
  }
  CHECK(runs.size() == 6);
}

TEST_CASE("an array task writes the description of its run and executes the run") {
  for (const std::string scheduler : {"slurm", "oar"}) {
    ScriptBench bench;
    bench.scheduler = scheduler;
    bench.study.study += "\nrepeats = 2";
    bench.study.rest = "[launch]\narray = true";
    bench.program("mpirun", "echo \"${@: -1}\" > \"${0%/*}/run\"");
    bench.plan();
    REQUIRE(bench.planning.plan.jobs.size() == 1);
    CHECK_FALSE(fs::exists(bench.out.run(bench.run_id(2)).run_json()));
    const auto task = [&](int k) {
      return test::run_bash(
          scheduler == "slurm" ? "SLURM_ARRAY_TASK_ID=" + std::to_string(k) + " " + bench.script()
                               : "OAR_NODEFILE=/n " + bench.script() + " " + std::to_string(k + 1));
    };
    const auto result = task(1);  // the second task is the first repetition of the second point
    INFO(result.out << base::read_file(bench.out.job_err(bench.run_id(2))));
    CHECK(result.exit_code == 0);
    CHECK(bench.text("run") == "runs/" + bench.run_id(2) + "\n");
    const fs::path json = bench.out.run(bench.run_id(2)).run_json();
    CHECK(contract::run_spec_from_json(base::read_file(json), "") == bench.planning.run(2));
    REQUIRE(bench.ends().size() == 1);
    CHECK(bench.ends()[0].run_id == bench.run_id(2));
    CHECK(task(4).exit_code == 2);
    CHECK(bench.ends().back().run_id.empty());
  }
}

TEST_CASE("an array task keeps the description of a run that was started before") {
  ScriptBench bench;
  bench.study.rest = "[launch]\narray = true";
  bench.program("mpirun", "");
  bench.plan();
  const contract::RunDir run = bench.out.run(bench.run_id(0));
  fs::create_directories(run.root());
  base::write_file_atomically(run.run_json(), "older\n");
  CHECK(test::run_bash(bench.script()).exit_code == 0);
  CHECK(base::read_file(run.run_json()) != "older\n");
  fs::create_directories(run.launch(1).root());
  base::write_file_atomically(run.run_json(), "older\n");
  CHECK(test::run_bash(bench.script()).exit_code == 0);
  CHECK(base::read_file(run.run_json()) == "older\n");
}

TEST_CASE("an external trainer runs in the next launch folder with the run's values") {
  ScriptBench bench;
  bench.trainer = {.command =
                       "printf '%s\\n' {{model}} \"$0\" {{batch_per_gpu}}\necho b >&2; exit 7"};
  bench.plan();
  for (int k = 1; k <= 2; ++k) {
    const auto result = test::run_bash(bench.script(1));
    INFO(result.out);
    CHECK(result.exit_code == 7);
    const contract::LaunchDir launch = bench.out.run(bench.run_id(1)).launch(k);
    CHECK(base::read_file(launch.out()) == "mlp\nbash\n64\n");
    CHECK(base::read_file(launch.err()) == "b\n");
    CHECK(bench.ends(1).back().exit_code == 7);
  }
}

TEST_CASE("hostile values reach external trainers unchanged") {
  ScriptBench bench;
  const std::string hostile = "it's $(touch x) `y` \"z\" \\ * {{a}}";
  bench.trainer = {.command = "printf '%s' {{note}}"};
  bench.parameters = {{"note", hostile}};
  bench.plan();
  CHECK(test::run_bash(bench.script()).exit_code == 0);
  CHECK(base::read_file(bench.out.run(bench.run_id(0)).launch(1).out()) == hostile);
}

TEST_CASE("each run of a packed job or an array has its own external command") {
  for (const char* launch : {"pack = true", "array = true"}) {
    ScriptBench bench;
    bench.study.rest = std::string("[launch]\n") + launch;
    bench.trainer = {.command = "echo {{batch_per_gpu}} \"$CUDA_VISIBLE_DEVICES\""};
    bench.plan();
    REQUIRE(bench.planning.plan.jobs.size() == 1);
    const bool packed = bench.planning.plan.jobs[0].kind == contract::JobKind::packed;
    const auto result = test::run_bash("export CUDA_VISIBLE_DEVICES=0,1,2,3; " + bench.script() +
                                       (packed ? "" : "; SLURM_ARRAY_TASK_ID=1 " + bench.script()));
    INFO(result.out);
    CHECK(result.exit_code == 0);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::string out = base::read_file(bench.out.run(bench.run_id(i)).launch(1).out());
      const std::string gpus = !packed ? "0,1,2,3" : i == 0 ? "0,1" : "2,3";
      CHECK(out == (i == 0 ? "32 " : "64 ") + gpus + "\n");
    }
  }
}

TEST_CASE("torchrun is started once per node, with a rendezvous for several nodes") {
  ScriptBench bench;
  bench.launcher = "srun";
  bench.study.matrix = "model = 'mlp'\ngpus = [2, 8]\nbatch_per_gpu = 32";
  bench.trainer = {.command = "train.py --batch {{batch_per_gpu}}", .launcher = "torchrun"};
  bench.program("torchrun", "printf '<%s>' \"$@\"");
  bench.program("srun",
                "echo \"$*\" > \"${0%/*}/words\"; while [[ $1 == --* ]]; do shift; done; "
                "exec \"$@\"");
  bench.plan();
  CHECK(test::run_bash(bench.script(0)).exit_code == 0);
  CHECK(base::read_file(bench.out.run(bench.run_id(0)).launch(1).out()) ==
        "<--standalone><--nproc-per-node=2><train.py><--batch><32>");
  CHECK_FALSE(fs::exists(bench.dir / "words"));
  CHECK(test::run_bash("SLURM_JOB_ID=1007 " + bench.script(1)).exit_code == 0);
  const std::string words = base::read_file(bench.out.run(bench.run_id(1)).launch(1).out());
  CHECK(words.find("<--nnodes=2><--nproc-per-node=4><--rdzv-backend=c10d><--rdzv-endpoint=") == 0);
  CHECK(words.find(":29507><--rdzv-id=1007><train.py>") != std::string::npos);
  CHECK(bench.text("words").find("--cpu-bind=cores --nodes=2 --ntasks=2 "
                                 "--ntasks-per-node=1 --cpus-per-task=4 ") == 0);
}

TEST_CASE("stopping an external trainer stops all of its processes") {
  ScriptBench bench;
  bench.trainer = {.command = "sleep 60 & touch ../../../started; wait; echo late"};
  bench.plan();
  const auto result =
      test::run_bash(bench.script() + " & while [ ! -e " + (bench.out.root() / "started").string() +
                     " ]; do sleep 0.05; done; kill -TERM $!; wait $!");
  CHECK(result.exit_code == 143);
  CHECK(bench.ends()[0].reason == "got SIGTERM");
  CHECK(bench.ends()[0].outcome == contract::RunOutcome::Cancelled);
  CHECK(base::read_file(bench.out.run(bench.run_id(0)).launch(1).out()).empty());
}

TEST_CASE("a run whose ranks were stopped by srun counts as failed") {
  for (const std::string pack : {"false", "true"}) {
    ScriptBench bench;
    bench.launcher = "srun";
    bench.study.rest = "[launch]\npack = " + pack;
    bench.program("srun", "exit 143");
    bench.plan();
    CHECK(test::run_bash(bench.script()).exit_code == 1);
    REQUIRE_FALSE(bench.ends().empty());
    CHECK(bench.ends()[0].exit_code == 1);
    CHECK(bench.ends()[0].reason.empty());
    CHECK(bench.ends()[0].outcome == std::nullopt);
  }
}

TEST_CASE("ranks start in the site's container with the plan folder mounted") {
  for (const std::string kind : {"apptainer", "enroot"}) {
    ScriptBench bench;
    bench.site_keys = "container = { kind = '" + kind + "', image = '" +
                      (bench.dir / "i m.sif").string() + "', args = ['--x', 'a b'] }";
    base::write_file_atomically(bench.dir / "i m.sif", "");
    bench.program("mpirun", "shift 4; exec \"$@\"");
    bench.program(kind, "printf '<%s>' \"$@\"");
    bench.plan();
    const auto result = test::run_bash(bench.script());
    const std::string plan = bench.out.root().string();
    INFO(result.out);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("<--x><a b><" + (bench.dir / "i m.sif").string() + ">") !=
          std::string::npos);
    CHECK(result.out.find(kind == "enroot"
                              ? "<start><--mount><" + plan + ":" + plan + ">"
                              : "<exec><--bind><" + plan + "><--pwd><" + plan + "><--nv>") == 0);
    CHECK(result.out.find("trainer><--run><runs/" + bench.run_id(0) + ">") != std::string::npos);
    fs::remove(bench.dir / "i m.sif");
    CHECK(test::run_bash(bench.script()).out.find("cannot read the container image") !=
          std::string::npos);
  }
}

TEST_CASE("a GPU option in the container arguments replaces the default option") {
  for (const std::string kind : {"apptainer", "singularity"}) {
    for (const std::string word : {"--nv", "--rocm"}) {
      ScriptBench bench;
      bench.site_keys =
          "container = { kind = '" + kind + "', image = 'i', args = ['" + word + "'] }";
      bench.program("mpirun", "shift 4; exec \"$@\"");
      bench.program(kind, "printf '<%s>' \"$@\"");
      bench.plan();
      const std::string out = test::run_bash(bench.script()).out;
      INFO(out);
      CHECK(out.find("><" + word + "><i><") != std::string::npos);
      CHECK((word == "--nv" || out.find("<--nv>") == std::string::npos));
      CHECK(out.find("<--nv><--nv>") == std::string::npos);
    }
  }
}

TEST_CASE("pyxis containers are options of srun") {
  ScriptBench bench;
  bench.launcher = "srun";
  bench.site_keys = "container = { kind = 'pyxis', image = 'nvcr.io#nvidia/pytorch:24.01-py3' }";
  bench.program("srun", "printf '<%s>' \"$@\"");
  bench.plan();
  const std::string out = test::run_bash(bench.script()).out;
  const std::string plan = bench.out.root().string();
  CHECK(out.find("<--cpu-bind=cores><--container-image=nvcr.io#nvidia/pytorch:24.01-py3>"
                 "<--container-mounts=" +
                 plan + ":" + plan + "><--container-workdir=" + plan + ">") == 0);
}

TEST_CASE("an array checks the data of all its runs, from axes or overrides") {
  const auto script = [](const std::string& training, const std::string& rest) {
    ScriptBench bench;
    bench.study.training += "\ndataset.kind = 'mnist'" + training;
    bench.study.rest = "[launch]\narray = true\n" + rest;
    bench.plan();
    REQUIRE(bench.planning.plan.jobs.size() == 1);
    return base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
  };
  const std::string by_axis =
      script("", "[[zip]]\nlabel_smoothing = [0, 0.1]\ndataset.path = ['/data/a', '/data/b']");
  const std::string by_override =
      script("\ndataset.path = '/data/a'",
             "[[override]]\nwhen = 'batch_per_gpu > 32'\ndataset.path = '/data/b'");
  for (const std::string& text : {by_axis, by_override}) {
    CHECK(text.find("/data/a") != std::string::npos);
    CHECK(text.find("/data/b") != std::string::npos);
  }
}

TEST_CASE("missing GPUs or missing data end a job before training starts") {
  ScriptBench bench;
  bench.program("mpirun", "touch \"${0%/*}/started\"");
  bench.study.training += "\ndataset = { kind = 'mnist', path = '$DATA/${SUB}' }";
  bench.plan();
  fs::create_directories(bench.dir / "data/a&b");
  const std::string data = "DATA=" + (bench.dir / "data").string() + " ";
  const auto with = [&](const std::string& environment) {
    return test::run_bash(environment + " " + bench.script());
  };
  CHECK(with("CUDA_VISIBLE_DEVICES=0,1 SUB=x")
            .out.find("path $DATA/${SUB} needs $DATA, which is not set") != std::string::npos);
  CHECK(with(data + "SUB=x")
            .out.find("cannot read " + (bench.dir / "data/x").string() + ", which the run needs") !=
        std::string::npos);
  CHECK(with(data + "SUB='a&b' CUDA_VISIBLE_DEVICES=1").out.find("1 GPUs visible on ") !=
        std::string::npos);
  CHECK_FALSE(fs::exists(bench.dir / "started"));
  CHECK(bench.ends().back().exit_code == 2);
  CHECK(with(data + "SUB='a&b' CUDA_VISIBLE_DEVICES=1,2").exit_code == 0);
  CHECK(fs::exists(bench.dir / "started"));
}

TEST_CASE("an array of several sub-studies checks the data of each sub-study") {
  ScriptBench bench;
  bench.study.rest =
      "[launch]\narray = true\n"
      "[[substudy]]\nname = 'a'\ntraining.dataset = { kind = 'mnist', path = '/data/a' }\n"
      "[[substudy]]\nname = 'b'\nmatrix.model = 'cnn'\ntraining.dataset = { kind = 'mnist', path = "
      "'/data/b' }";
  bench.plan();
  REQUIRE(bench.planning.plan.jobs.size() == 1);
  const std::string text = base::read_file(bench.out.job_script(bench.planning.plan.jobs[0].name));
  CHECK(text.find("datasets=( /data/a /data/b )") != std::string::npos);
}

TEST_CASE("scripts of every form are accepted by bash and shellcheck") {
  const std::vector<std::array<std::string, 3>> kSites{{"slurm", "mpirun", ""},
                                                       {"slurm", "srun", ""},
                                                       {"oar", "oarsh", "moldable = true"},
                                                       {"oar", "mpirun", "moldable = true"}};
  test::JudgedScripts scripts;
  for (const auto& [scheduler, launcher, partition_keys] : kSites) {
    for (const char* launch : {"", "pack = true", "array = true"}) {
      for (const char* trainer : {"", "plain", "torchrun", "ranks"}) {
        ScriptBench bench;
        bench.scheduler = scheduler;
        bench.launcher = launcher;
        bench.partition_keys = partition_keys;
        bench.study.matrix = "model = 'mlp'\ngpus = [1, 8]\nbatch_per_gpu = [32, 64]";
        bench.study.training += "\ndataset = { kind = 'mnist', path = '$DATA/x' }";
        bench.study.rest = std::string("[launch]\n") + launch;
        bench.trainer = {.launcher = trainer};
        if (*trainer != '\0') bench.trainer.command = "python {{batch_per_gpu}}";
        bench.plan();
        scripts.take(bench.out, bench.dir.path(),
                     scheduler + " " + launcher + " " + launch + " " + trainer + ": ");
      }
    }
  }
  scripts.check();
}
