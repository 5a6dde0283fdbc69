// SPDX-License-Identifier: Apache-2.0
// Tests of `dlscale init site` with substitutes for the commands of SLURM and OAR on PATH.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/cli/dlscale_program.hpp"

namespace dlscale {
namespace {

namespace fs = std::filesystem;

class LoginNode {
 public:
  /// Makes a batch-system command from shell lines.
  void has(const std::string& name, const std::string& script) {
    std::ofstream(programs_ / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(programs_ / name, fs::perms::owner_all);
  }
  /// Makes the commands of a SLURM with one partition.
  void has_slurm() {
    has("scontrol",
        "case $2 in config) echo 'ClusterName             = jupiter' ;;\n"
        "partition) echo 'PartitionName=gpu Default=YES MaxTime=00:20:00 RootOnly=NO State=UP' ;;\n"
        "esac");
    has("sinfo", "echo 'gpu|8|2|24|524288|gpu:4'; echo 'gpu|8|2|24|262144|(null)'");
  }
  test::Ran init(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), {"init", "site"});
    std::map<std::string, std::string> environment = variables;
    environment["PATH"] = programs_.path().string();
    return program.run(arguments, environment);
  }
  std::string file(const std::string& name) { return base::read_file(program.folder / name); }

  test::DlscaleProgram program;
  std::map<std::string, std::string> variables;  ///< environment variables of the user

 private:
  test::TempDir programs_;
};

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("init site prints the site that SLURM describes from its nodes with GPUs") {
  LoginNode node;
  node.has_slurm();
  const test::Ran ran = node.init();
  CHECK(ran.exit_code == 0);
  CHECK(says(ran.out, "\nname = \"jupiter\"\n"));
  CHECK(says(ran.out, "\nwalltime = \"00:20:00\""));  // limit of the partition
  CHECK(says(ran.out, "\n[[partitions]]\nname = \"gpu\"\nnodes = 8\ngpus_per_node = 4\n"));
  CHECK_FALSE(says(ran.out, "memory_gb = 256"));
  CHECK(fs::is_empty(node.program.folder.path()));
}

TEST_CASE("init site ignores environment options of SLURM commands") {
  LoginNode node;
  node.has_slurm();
  const std::string plain = node.init().out;
  node.has("sinfo",
           "[ -z \"$SINFO_FORMAT$SINFO_PARTITION$SLURM_JOB_ID\" ] || exit 1\n"
           "echo 'gpu|8|2|24|524288|gpu:4'; echo 'gpu|8|2|24|262144|(null)'");
  node.variables = {{"SINFO_FORMAT", "%P"}, {"SINFO_PARTITION", "x"}, {"SLURM_JOB_ID", "7"}};
  CHECK(node.init().out == plain);
}

TEST_CASE("init site writes a file that plan accepts unchanged") {
  LoginNode node;
  node.has_slurm();
  const test::Ran ran = node.init({"-o", "mine.toml"});
  CHECK(ran.exit_code == 0);
  CHECK(says(ran.out, "--site mine.toml"));
  CHECK(says(node.file("mine.toml"), "\nname = \"mine\"\n"));
  const test::Ran planned = node.program.run(
      {"plan", DLSCALE_SOURCE_DIR "/tests/schedulers/small.toml", "--site", "mine.toml", "-S",
       "matrix.gpus=[4]", "-S", "resources.walltime='00:10:00'", "--dry-run"});
  CHECK(planned.err == "");
  CHECK(planned.exit_code == 0);
}

TEST_CASE("init site replaces a file only with --force") {
  LoginNode node;
  node.has_slurm();
  std::ofstream(node.program.folder / "mine.toml") << "mine\n";
  const test::Ran refused = node.init({"-o", "mine.toml"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err == "dlscale: mine.toml exists; --force replaces it\n");
  CHECK(node.file("mine.toml") == "mine\n");
  CHECK(node.init({"-o", "mine.toml", "--force", "saturn"}).exit_code == 0);
  CHECK(says(node.file("mine.toml"), "\nname = \"saturn\"\n"));
}

TEST_CASE("init site on a machine without a batch system is a usage error") {
  LoginNode node;
  const test::Ran ran = node.init({"-o", "mine.toml"});
  CHECK(ran.exit_code == 2);
  CHECK(says(ran.err,
             "dlscale: no sinfo (slurm) and no oarnodes (oar) on PATH: run dlscale init "
             "site on a login"));
  CHECK_FALSE(fs::exists(node.program.folder / "mine.toml"));
}

TEST_CASE("init site reports why a batch system is unreachable and writes nothing") {
  LoginNode node;
  node.has("sinfo", "exit 1");
  node.has("scontrol", "echo 'Unable to contact slurm controller (connect failure)' >&2; exit 1");
  const test::Ran ran = node.init({"-o", "mine.toml"});
  CHECK(ran.exit_code == 4);
  CHECK(says(ran.err,
             "dlscale: scontrol failed: Unable to contact slurm controller (connect failure); run "
             "dlscale init site on a login node of the cluster, or copy /"));
  CHECK(says(ran.err, "/sites/generic-slurm.toml and replace the example values in the copy\n"));
  CHECK_FALSE(fs::exists(node.program.folder / "mine.toml"));
}

TEST_CASE("a batch system without visible nodes gives no site") {
  LoginNode node;
  node.has("oarnodes", "echo '{}'");
  const test::Ran ran = node.init();
  CHECK(ran.exit_code == 4);
  CHECK(ran.err == "dlscale: oarnodes lists no nodes for this user\n");
  CHECK(ran.out == "");
}

}  // namespace
}  // namespace dlscale
