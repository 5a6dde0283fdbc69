// SPDX-License-Identifier: Apache-2.0
// Tests of the directives of job scripts for SLURM and OAR.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "planner/script/script.hpp"
#include "tests/planner/bash_run.hpp"
#include "tests/planner/planned.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

const std::string kSlurm =
    "scheduler = 'slurm'\ndevice = 'cuda'\nlauncher = 'srun'\nwalltime = '01:00:00'\n";
const std::string kOar =
    "scheduler = 'oar'\ndevice = 'cuda'\nlauncher = 'oarsh'\nwalltime = '01:00:00'\n";
const std::string kNodes =
    "[[partitions]]\nname = 'p'\ngpus_per_node = 4\ncores_per_node = 48\nmemory_gb = 100\n";

/// Returns the directives of the first script without file names, and checks the script with
/// shellcheck.
std::string directives(const std::string& study, const std::string& site) {
  test::TempDir dir;
  const auto planning = test::plan_texts(study, site, dir);
  const std::string script =
      planner::job_script(planning, 0, test::shipped_resources(), contract::PlanDir(dir / "plan"));
  const auto check =
      test::run_bash("command -v shellcheck > /dev/null || exit 0; shellcheck -S warning - <<< " +
                     planner::shell_quote(script));
  INFO(script << check.out);
  CHECK(check.exit_code == 0);
  std::istringstream lines(script);
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    const bool directive = line.rfind("#SBATCH", 0) == 0 || line.rfind("#OAR", 0) == 0;
    if (directive && line.find(dir.path().string()) == std::string::npos) found += line + "\n";
  }
  return found;
}

bool has(const std::string& text, const std::string& line) {
  return text.find(line + "\n") != std::string::npos;
}

test::StudyText study_on(int gpus, const std::string& resources = "") {
  test::StudyText text;
  text.matrix = "model = 'mlp'\ngpus = " + std::to_string(gpus) + "\nbatch_per_gpu = [32, 64]";
  text.resources = resources;
  return text;
}

}  // namespace

TEST_CASE("the queue of a job is the partition name, another name or none") {
  for (const auto& [said, slurm, oar] : {std::tuple{"", "#SBATCH --partition=p", "#OAR -q p"},
                                         {"queue = 'q'\n", "#SBATCH --partition=q", "#OAR -q q"}}) {
    CHECK(has(directives(study_on(4).text(), kSlurm + kNodes + said), slurm));
    CHECK(has(directives(study_on(4).text(), kOar + kNodes + said), oar));
  }
  CHECK(directives(study_on(4).text(), kSlurm + kNodes + "queue = ''\n").find("--partition") ==
        std::string::npos);
  CHECK(directives(study_on(4).text(), kOar + kNodes + "queue = ''\n").find("#OAR -q") ==
        std::string::npos);
}

TEST_CASE("a plain SLURM job requests nodes, ranks, cores, GPUs, time and a warning signal") {
  const std::string lines = directives(study_on(8).text(), kSlurm + kNodes);
  CHECK(lines.find("--account") == std::string::npos);
  CHECK(lines.find("--mem") == std::string::npos);
  for (const char* line :
       {"--open-mode=append", "--partition=p", "--nodes=2", "--ntasks-per-node=4",
        "--cpus-per-task=12", "--gres=gpu:4", "--time=1:00:00", "--signal=B:USR1@60"}) {
    CHECK(has(lines, std::string("#SBATCH ") + line));
  }
}

TEST_CASE("every SLURM key of a site is in the script") {
  const std::string site = kSlurm +
                           "signal_before_end_s = 0\naccount = 'site'\n"
                           "mail = { user = 'a@b.c', on = ['begin', 'fail'] }\n" +
                           kNodes +
                           "account = 'acc'\nqos = 'q'\nconstraint = 'gpu&hbm80g'\nhint = "
                           "'nomultithread'\nexclusive = true\ngpu_type = 'a100'\ngpu_request = "
                           "'gpus-per-node'\nmemory_request = true\n";
  const std::string lines = directives(study_on(1).text(), site);
  for (const char* line : {"--account=acc", "--qos=q", "--constraint=gpu&hbm80g",
                           "--hint=nomultithread", "--exclusive", "--gpus-per-node=a100:1",
                           "--mem=95367M", "--mail-user=a@b.c", "--mail-type=BEGIN,FAIL"}) {
    INFO(line << "\n" << lines);
    CHECK(has(lines, std::string("#SBATCH ") + line));
  }
  CHECK(lines.find("--gres") == std::string::npos);
  CHECK(lines.find("--signal") == std::string::npos);
}

TEST_CASE("resource settings of a study replace those of the site in the SLURM script") {
  const std::string lines =
      directives(study_on(2,
                          "account = 'me'\nqos = 'fast'\ngpu_type = 'h100'\nmemory_gb = 40\n"
                          "mail = { user = 'x@y.z' }")
                     .text(),
                 kSlurm + "account = 'site'\n" + kNodes + "qos = 'slow'\n");
  for (const char* line : {"--account=me", "--qos=fast", "--gres=gpu:h100:2", "--mem=38146M",
                           "--mail-user=x@y.z", "--mail-type=END,FAIL"}) {
    CHECK(has(lines, std::string("#SBATCH ") + line));
  }
}

TEST_CASE("requested memory is the share of the GPUs, or of the cores without GPUs") {
  CHECK(has(directives(study_on(1).text(), kSlurm + kNodes + "memory_request = true\n"),
            "#SBATCH --mem=23841M"));  // 25 GB in MiB
  std::string cpu = kSlurm + "cores_per_rank = 12\n" + kNodes + "memory_request = true\n";
  cpu.replace(cpu.find("'cuda'"), 6, "'cpu'");
  const std::string lines = directives(study_on(1).text(), cpu);
  CHECK(has(lines, "#SBATCH --mem=23841M"));
  CHECK(lines.find("--gres") == std::string::npos);
  CHECK(has(directives(study_on(1, "memory_gb = 0.001").text(), kSlurm + kNodes),
            "#SBATCH --mem=1M"));  // 0 would request all memory
}

TEST_CASE("SLURM jobs of a chain share its name and wait for jobs of that name") {
  auto study = study_on(8);
  study.rest = "[launch]\nchain = 3";
  const std::string slurm = kSlurm + kNodes;
  CHECK(has(directives(study.text(), slurm),
            "#SBATCH --job-name=s-chain-1\n#SBATCH --dependency=singleton"));
  study.rest = "";
  const std::string free = directives(study.text(), slurm);
  CHECK(free.find("--dependency") == std::string::npos);
  CHECK(free.find("chain") == std::string::npos);
  study.rest = "[launch]\nchain = 3\narray = true";
  CHECK(has(directives(study.text(), slurm),
            "#SBATCH --job-name=s-chain-1\n#SBATCH --dependency=singleton\n"
            "#SBATCH --array=0-1"));
  study.rest = "[launch]\nchain = 3";
  CHECK(directives(study.text(), kOar + kNodes).find("chain") == std::string::npos);
}

TEST_CASE("an OAR job requests hosts and GPUs by the site's names, with one type per line") {
  const std::string site =
      kOar + "mail = { user = 'a@b.c' }\n" + kNodes +
      "host_resource = 'host'\ngpu_resource = 'gpunum'\ntypes = ['besteffort', 'idempotent']\n"
      "properties = \"cluster='x'\"\ngpu_type = 'Tesla T4'\naccount = 'acc'\n";
  const std::string lines = directives(study_on(8).text(), site);
  for (const char* line :
       {"-q p", "-p (cluster='x') AND gpu_model='Tesla T4'", "-l /host=2/gpunum=4,walltime=1:00:00",
        "-t besteffort", "-t idempotent", "--project acc", "--checkpoint 60", "--signal 10",
        "--notify [END,ERROR]mail:a@b.c"}) {
    INFO(line << "\n" << lines);
    CHECK(has(lines, std::string("#OAR ") + line));
  }
}

TEST_CASE("OAR jobs request whole nodes, cores or one of several shapes") {
  CHECK(has(directives(study_on(8).text(), kOar + kNodes + "exclusive = true\n"),
            "#OAR -l /nodes=2,walltime=1:00:00"));
  std::string cpu = kOar + "cores_per_rank = 3\n" + kNodes;
  cpu.replace(cpu.find("'cuda'"), 6, "'cpu'");
  CHECK(has(directives(study_on(2).text(), cpu), "#OAR -l /nodes=1/core=6,walltime=1:00:00"));
  const std::string moldable =
      directives(study_on(4).text(), kOar + kNodes + "moldable = true\nmax_nodes = 2\n");
  CHECK(has(moldable,
            "#OAR -l /nodes=1/gpu=4,walltime=1:00:00\n"
            "#OAR -l /nodes=2/gpu=2,walltime=1:00:00"));
}

TEST_CASE("an array has a range and a throttle on SLURM and a parameter file on OAR") {
  auto study = study_on(8);
  study.rest = "[launch]\narray = true\nthrottle = 5";
  CHECK(has(directives(study.text(), kSlurm + kNodes), "#SBATCH --array=0-1%5"));
  study.rest = "[launch]\narray = true";
  CHECK(has(directives(study.text(), kSlurm + kNodes), "#SBATCH --array=0-1"));
  test::TempDir dir;
  const auto planning = test::plan_texts(study.text(), kOar + kNodes, dir);
  const std::string script =
      planner::job_script(planning, 0, test::shipped_resources(), contract::PlanDir("/plans/x"));
  CHECK(has(script,
            "#OAR --array-param-file /plans/x/jobs/" + planning.plan.jobs[0].name + ".params"));
}

TEST_CASE("every name that templates may use is explained") {
  for (const auto& name : planner::script_names()) {
    INFO(name.name);
    CHECK_FALSE(name.meaning.empty());
  }
}
