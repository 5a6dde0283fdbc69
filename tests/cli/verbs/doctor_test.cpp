// SPDX-License-Identifier: Apache-2.0
// Tests of the findings of `dlscale doctor` and of the command on this machine.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "contract/version.hpp"
#include "tests/cli/planned_demo.hpp"
#include "workspace/doctor/cluster_checks.hpp"
#include "workspace/doctor/folder_checks.hpp"
#include "workspace/doctor/program_checks.hpp"
#include "workspace/jobs/job_environment.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::StartsWith;
namespace fs = std::filesystem;

namespace {

planner::Site site_of_one_partition() {
  planner::Site site;
  site.scheduler = "slurm";
  site.device = "cuda";
  site.communicator = "nccl";
  site.max_array_size = 1001;
  planner::Partition partition;
  partition.name = "gpu";
  partition.gpus_per_node = 4;
  partition.cores_per_node = 48;
  partition.max_walltime_s = 86400;
  site.partitions = {partition};
  return site;
}

runner::Cluster cluster_of_it() {
  runner::NodeGroup group;
  group.partition = "gpu";
  group.nodes = 10;
  group.gpus_per_node = 4;
  group.cores_per_node = 48;
  group.max_walltime_s = 86400;
  return {"here", 1001, {group}};
}

void write_program(const fs::path& file, const std::string& text) {
  base::write_file_atomically(file, "#!/bin/sh\n" + text);
  fs::permissions(file, fs::perms::owner_all);
}

}  // namespace

TEST_CASE("a site that matches the cluster passes") {
  for (const auto& check :
       workspace::compare_with_cluster(site_of_one_partition(), cluster_of_it())) {
    CHECK(check.level == "ok");
  }
}

TEST_CASE("a site beyond the limits of the cluster fails, and unused limits are a warning") {
  runner::Cluster smaller = cluster_of_it();
  smaller.groups[0].gpus_per_node = 2;
  smaller.groups[0].max_walltime_s = 3600;
  smaller.max_array_size = 100;
  const auto bad = workspace::compare_with_cluster(site_of_one_partition(), smaller);
  CHECK(bad[0].level == "fail");
  CHECK(bad[0].message ==
        "gpus_per_node: 4 in the site file, 2 on the cluster; max_walltime: 24:00:00 in the site "
        "file, 1:00:00 on the cluster");
  CHECK(bad[1].level == "fail");
  runner::Cluster larger = cluster_of_it();
  larger.groups[0].cores_per_node = 64;
  CHECK(workspace::compare_with_cluster(site_of_one_partition(), larger)[0].level == "warn");
}

TEST_CASE("variables that are removed for jobs give a warning that names them") {
  CHECK(workspace::check_environment({}).level == "ok");
  const auto check = workspace::check_environment({"SBATCH_QOS", "SLURM_JOB_ID"});
  CHECK(check.level == "warn");
  CHECK(check.message ==
        "variables that are set here and removed for jobs: SBATCH_QOS, SLURM_JOB_ID");
  CHECK_THAT(check.advice, StartsWith("keep_environment in the site file"));
}

TEST_CASE("a missing partition is reported with the nearest name") {
  planner::Site site = site_of_one_partition();
  site.partitions[0].name = "gpus";
  const auto checks = workspace::compare_with_cluster(site, cluster_of_it());
  CHECK(checks[0].level == "fail");
  CHECK(checks[0].message == "the cluster has no partition gpus");
  CHECK_THAT(checks[0].advice, Contains("did you mean \"gpu\"?"));
}

TEST_CASE("the free nodes of a queue are reported once, for all of its groups") {
  planner::Site site = site_of_one_partition();
  site.partitions.push_back(site.partitions[0]);
  site.partitions[1].name = "large";
  site.partitions[1].queue = "gpu";
  runner::Cluster cluster = cluster_of_it();
  cluster.groups.push_back(cluster.groups[0]);
  const auto free_of = [&] {
    std::vector<std::string> found;
    for (const auto& check : workspace::compare_with_cluster(site, cluster)) {
      if (check.name.starts_with("free nodes")) found.push_back(check.name + ": " + check.message);
    }
    return found;
  };
  CHECK(free_of().empty());  // the batch system did not report the states of nodes
  for (runner::NodeGroup& group : cluster.groups) group.use_is_known = true;
  cluster.groups[0].free_nodes = 3;
  cluster.groups[1].shared_nodes = 2;
  CHECK(free_of() ==
        std::vector<std::string>{"free nodes of gpu: 3 of 20 nodes free now, 2 partly in use"});
}

TEST_CASE("a partition that is down is reported as down instead of missing") {
  runner::Cluster cluster = cluster_of_it();
  cluster.closed = {{cluster.groups[0].partition, "DOWN"}};
  cluster.groups.clear();
  const auto checks = workspace::compare_with_cluster(site_of_one_partition(), cluster);
  CHECK(checks[0].level == "fail");
  CHECK(checks[0].message == "partition gpu of the cluster is DOWN");
}

TEST_CASE("a trainer without the site's device or communicator fails") {
  contract::Capabilities trainer{contract::version(), {{"mpi", "Open MPI 4.1.4"}}, {}};
  trainer.families["device"] = {"cpu", "cuda"};
  trainer.families["communicator"] = {"mpi"};
  const auto checks =
      workspace::judge_trainer(site_of_one_partition(), trainer, "mpirun (Open MPI) 5.0.1");
  REQUIRE(checks.size() == 3);
  CHECK(checks[0].level == "ok");
  CHECK(checks[1].message == "the site requires nccl, which this trainer does not support");
  CHECK(checks[1].level == "fail");
  CHECK(checks[2].level == "warn");
  CHECK(workspace::judge_trainer(site_of_one_partition(), trainer, "mpirun (Open MPI) 4.1.4")[2]
            .level == "ok");
}

TEST_CASE("free space, free inodes and clock differences are checked") {
  const auto plenty = workspace::judge_space({50'000'000'000, 100'000'000'000, 900, 1000}, 100);
  CHECK(plenty[0].level == "ok");
  CHECK(plenty[1].level == "ok");
  const auto little = workspace::judge_space({500'000'000, 100'000'000'000, 900, 1000}, 1000);
  CHECK(little[0].level == "warn");
  CHECK(little[1].level == "fail");
  CHECK(workspace::judge_space({0, 1000, 0, 0}, 10).size() == 1);
  CHECK(workspace::judge_space({0, 1000, 0, 0}, 10)[0].level == "fail");
  CHECK(workspace::judge_clock(1000, 1000.5).level == "ok");
  CHECK(workspace::judge_clock(1000, 1060).message ==
        "the clock of the file system is 60 s behind the clock of this node");
}

TEST_CASE("a folder is checked without leaving files in it") {
  const test::TempDir folder;
  const auto checks = workspace::check_folder(folder.path(), base::SystemClock(), 0);
  CHECK(checks[0].name == "write");
  CHECK(checks[1].message == "the clock of the file system agrees with the clock of this node");
  CHECK(checks[2].message == "file locks work");
  CHECK(fs::is_empty(folder.path()));
  CHECK(workspace::check_folder(folder / "nowhere", base::SystemClock(), 0)[0].level == "fail");
}

TEST_CASE("doctor runs the site's trainer in its environment and gives advice without a trainer") {
  test::DlscaleProgram dlscale;
  write_program(dlscale.folder / "trainer",
                "echo '{\"version\":\"" + std::string(contract::version()) +
                    "\",\"families\":{\"device\":[\"cpu\"],\"communicator\":[\"'$COMM'\"]}}'\n");
  write_program(dlscale.folder / "mpirun", "echo 'mpirun (Open MPI) 4.1.4'\n");
  const std::string site = "scheduler = \"local\"\n";
  base::write_file_atomically(dlscale.folder / "good.toml",
                              site +
                                  "trainer = \"./trainer\"\n"
                                  "environment = [\"echo noise; export COMM=mpi PATH=.:$PATH\"]\n");
  const test::Ran good = dlscale.run({"doctor", "--site", "good.toml"});
  CHECK(good.exit_code == 0);
  CHECK_THAT(good.out,
             Contains("trainer") && Contains("the trainer supports mpi") && Contains(" 0 fail\n"));
  base::write_file_atomically(dlscale.folder / "bad.toml", site + "trainer = \"no-trainer\"\n");
  const test::Ran bad = dlscale.run({"doctor", "--site", "bad.toml", "--json"});
  CHECK(bad.exit_code == 1);
  CHECK_THAT(bad.out, StartsWith("[\n {\"name\":\"site\",\"level\":\"ok\"") &&
                          Contains("\"message\":\"trainer no-trainer not found\""));
}

TEST_CASE("doctor names the MPI library that the trainer loads and where it comes from") {
  test::DlscaleProgram dlscale;
  const std::string root = fs::canonical(dlscale.folder.path()).string();
  fs::create_directories(dlscale.folder / "bin");
  const auto report = [&](const std::string& library) {
    write_program(dlscale.folder / "bin/trainer",
                  "[ $1 = --version ] && printf 'trainer 1\\n  mpi_library " + library +
                      "\\n' || echo '{\"version\":\"1\",\"families\":{\"device\":[\"cpu\"]}}'\n");
    base::write_file_atomically(dlscale.folder / "site.toml",
                                "scheduler = \"local\"\ntrainer = \"" + root + "/bin/trainer\"\n");
    return dlscale.run({"doctor", "--site", "site.toml"}).out;
  };
  CHECK_THAT(report("/opt/mpi/libmpi.so.40"),
             Contains("the trainer loads /opt/mpi/libmpi.so.40\n"));
  CHECK_THAT(report(root + "/lib/libmpi.so.40"),
             Contains("/lib/libmpi.so.40, which was installed with the trainer\n"));
}

TEST_CASE("doctor explains a trainer that another version of LibTorch stops") {
  test::DlscaleProgram dlscale;
  write_program(dlscale.folder / "trainer",
                "echo './trainer: symbol lookup error: ./trainer: undefined symbol: f, version "
                "libtorch_cpu.so' >&2; exit 127\n");
  base::write_file_atomically(dlscale.folder / "site.toml",
                              "scheduler = \"local\"\ntrainer = \"./trainer\"\n");
  const test::Ran ran = dlscale.run({"doctor", "--site", "site.toml"});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("pip install 'dlscale[train]'") && Contains("undefined symbol"));
}

TEST_CASE("a missing dlscale-train is stated, and fails only if it is needed") {
  planner::Site site;
  site.scheduler = "local";
  site.launcher = "no-launcher";
  const auto commands = runner::make_command_runner();
  const auto checks = workspace::check_programs(site, "no-trainer", *commands, {.trainer = false});
  REQUIRE_FALSE(checks.empty());
  CHECK(checks[0].message ==
        "dlscale-train is not installed; your own training scripts do not need it");
  for (const auto& check : checks) CHECK(check.level == "ok");
  const auto needed = workspace::check_programs(site, "no-trainer", *commands, {});
  CHECK(needed[0].level == "fail");
  CHECK(needed[1].message == "no no-launcher on PATH");
}

TEST_CASE("doctor checks the command and the environment of a study with a training script") {
  test::DlscaleProgram dlscale;
  const auto plan = [&](const std::string& trainer) {
    base::write_file_atomically(
        dlscale.folder / "study.toml",
        "[study]\nname = 'mine'\n[matrix]\ngpus = 1\nbatch_per_gpu = 8\n[trainer]\n" + trainer);
  };
  plan("command = 'my-train --lr 1'\nenvironment_setup = ['PATH=$PWD/bin:$PATH']\n");
  const test::Ran missing = dlscale.run({"doctor", "study.toml"});
  CHECK(missing.exit_code == 1);
  CHECK_THAT(missing.out, Contains("my-train is not on PATH in the environment of jobs") &&
                              Contains("docs/your-script.md#environment") &&
                              !Contains("dlscale-train"));
  fs::create_directories(dlscale.folder / "bin");
  write_program(dlscale.folder / "bin/my-train", "exit 0\n");
  const test::Ran found = dlscale.run({"doctor", "study.toml"});
  CHECK(found.exit_code == 0);
  CHECK_THAT(found.out, Contains("my-train is ") && Contains("/bin/my-train\n"));
  plan("command = 'my-train'\nenvironment_setup = ['source venv/bin/activate']\n");
  CHECK_THAT(dlscale.run({"doctor", "study.toml"}).out,
             Contains("environment_setup: source venv/bin/activate failed: "
                      "venv/bin/activate: No such file or directory"));
  plan("command = 'true {seed}'\n");
  CHECK_THAT(dlscale.run({"doctor", "study.toml"}).out, Contains("warn  study"));
  plan("comand = 'true'\n");
  CHECK(dlscale.run({"doctor", "study.toml"}).exit_code == 2);
}

TEST_CASE("doctor checks the command of the plan in a folder") {
  test::DlscaleProgram dlscale;
  base::write_file_atomically(
      dlscale.folder / "study.toml",
      "[study]\nname = 'mine'\n[matrix]\ngpus = 1\nbatch_per_gpu = 8\n[trainer]\n"
      "command = 'no-such-program'\n");
  REQUIRE(dlscale.run({"plan", "study.toml", "-o", "out"}).exit_code == 0);
  const test::Ran ran = dlscale.run({"doctor", "out"});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("no-such-program is not on PATH"));
}

TEST_CASE("doctor for a missing batch system points to a login node") {
  test::DlscaleProgram dlscale;
  fs::create_directory(dlscale.folder / "bin");
  fs::create_symlink("/bin/bash", dlscale.folder / "bin" / "bash");
  const test::Ran ran =
      dlscale.run({"doctor", "--site", "nef"}, {{"PATH", (dlscale.folder / "bin").string()}});
  CHECK(ran.exit_code == 1);
  CHECK_THAT(ran.out, Contains("not on PATH: oarsub, oarstat, oardel") &&
                          Contains("run dlscale doctor on a login node of the cluster"));
}

TEST_CASE("doctor --gpu runs the packed checks and passes their exit code on") {
  test::DlscaleProgram dlscale;
  fs::create_directories(dlscale.folder / "share/templates");
  const std::map<std::string, std::string> share = {
      {"DLSCALE_SHARE", (dlscale.folder / "share").string()}};
  const test::Ran missing = dlscale.run({"doctor", "--gpu"}, share);
  CHECK(missing.exit_code == 2);
  CHECK_THAT(missing.err, Contains("share/gpu-check/run: ") && Contains("tools/gpu-check"));
  fs::create_directories(dlscale.folder / "share/gpu-check");
  write_program(dlscale.folder / "share/gpu-check/run", "echo no GPU is visible; exit 3\n");
  const test::Ran packed = dlscale.run({"doctor", "--gpu"}, share);
  CHECK(packed.exit_code == 3);
  CHECK(packed.out == "no GPU is visible\n");
}

TEST_CASE("doctor rejects an unknown site and a missing folder") {
  test::DlscaleProgram dlscale;
  const test::Ran site = dlscale.run({"doctor", "--site", "neff"});
  CHECK(site.exit_code == 2);
  CHECK_THAT(site.err, Contains("did you mean \"nef\"?"));
  CHECK(dlscale.run({"doctor", "nowhere"}).err ==
        "dlscale: nowhere is neither a folder nor a study file (*.toml)\n");
}
