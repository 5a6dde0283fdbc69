// SPDX-License-Identifier: Apache-2.0
#include "planner/site/site_reader.hpp"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/file.hpp"
#include "tests/planner/study_text.hpp"

using namespace dlscale;

namespace {

std::string site_error(const std::string& text) {
  return test::error_of([&] { planner::read_site(text, "c.toml"); });
}

const std::string kSlurmSite = "scheduler = 'slurm'\nwalltime = '01:00:00'\n";

}  // namespace

TEST_CASE("a malformed site is rejected with location, key and remedy") {
  CHECK(site_error("") == "c.toml: scheduler: missing; set it to local, slurm or oar");
  CHECK(site_error("scheduler = 'slrum'") ==
        "c.toml:1:13: scheduler: unknown scheduler \"slrum\"; did you mean \"slurm\"? (known: "
        "local, slurm, oar)");
  CHECK(site_error("scheduler = 'local'\nmodule = 'x'")
            .rfind("c.toml:2:1: module: unknown key; did you mean \"modules\"?", 0) == 0);
  CHECK(site_error("scheduler = 'slurm'") ==
        "c.toml: partitions: missing; describe the nodes of the batch system in [[partitions]]");
  CHECK(site_error("scheduler = 'slurm'\n[[partitions]]\nname = 'p'") ==
        "c.toml: walltime: missing; a batch system needs a time limit");
  CHECK(site_error(kSlurmSite + "[[partitions]]\ngpus_per_node = 1") ==
        "c.toml:3:1: partitions[0]: name is missing");
  CHECK(site_error(kSlurmSite +
                   "[[partitions]]\nname = 'p'\n[[partitions]]\nname = 'p'\nqos = 'q'") ==
        "c.toml:5:1: partitions[1]: name \"p\" is already used; give this partition another name "
        "and queue = \"p\"");
  CHECK(site_error(kSlurmSite + "[[partitions]]\nname = 'p'\ngpus_per_node = -1") ==
        "c.toml:5:17: partitions[0].gpus_per_node: must be at least 0 (got -1)");
  CHECK(site_error(kSlurmSite + "device = 'cuda'\n[[partitions]]\nname = 'p'") ==
        "c.toml: partitions.gpus_per_node: missing in p; the device cuda requires it");
  CHECK(site_error("scheduler = 'local'\nenvironment = [1]") ==
        "c.toml:2:16: environment[0]: expected a string, found a whole number");
  CHECK(site_error("scheduler = 'local'\nlauncher_args = 'a\\u0000'").empty());
  CHECK(site_error("scheduler = 'local'\nlauncher_args = \"a\\u0000\"") ==
        "c.toml:2:17: launcher_args: must not contain a NUL character");
  CHECK(site_error("scheduler = 'local'\nvariables = { A = 1 }") ==
        "c.toml:2:19: variables.A: expected a string, found a whole number");
}

TEST_CASE("a site can keep only variables that would be removed") {
  const auto site = planner::read_site(
      "scheduler = 'local'\nkeep_environment = ['SBATCH_ACCOUNT', 'RANK']", "c.toml");
  CHECK(site.keep_environment == std::vector<std::string>{"SBATCH_ACCOUNT", "RANK"});
  CHECK(site_error("scheduler = 'local'\nkeep_environment = ['SBATH_ACCOUNT']") ==
        "c.toml:2:20: keep_environment: SBATH_ACCOUNT reaches jobs without this key; name only "
        "variables that dlscale submit reports as removed");
  CHECK(site_error("scheduler = 'local'\nkeep_environment = ['SBATCH_*']") ==
        "c.toml:2:20: keep_environment: \"SBATCH_*\" is not the name of a variable; use only "
        "letters, digits and _, and do not begin with a digit");
}

TEST_CASE("the command for the rendezvous host is one line and only for batch systems") {
  const std::string partition = "\n[[partitions]]\nname = 'p'";
  const std::string command = "uname -n | sed 's/$/i/'";
  CHECK(
      planner::read_site(kSlurmSite + "rendezvous_host = \"" + command + "\"" + partition, "c.toml")
          .rendezvous_host == command);
  CHECK(site_error(kSlurmSite + "rendezvous_host = ' '" + partition) ==
        "c.toml:3:19: rendezvous_host: is empty; give a command that prints the name of a node, or "
        "leave the key out");
  CHECK(site_error(kSlurmSite + "rendezvous_host = \"a\\nb\"" + partition) ==
        "c.toml:3:19: rendezvous_host: must be one line of shell");
  CHECK(site_error("scheduler = 'local'\nrendezvous_host = 'uname -n'") ==
        "c.toml:2:1: rendezvous_host: has no effect on a single machine; leave it out");
}

TEST_CASE("shipped sites whose comments recommend a variable keep it") {
  for (const auto& entry : std::filesystem::directory_iterator(DLSCALE_SOURCE_DIR "/sites")) {
    const std::string text = base::read_file(entry.path());
    if (text.find("SBATCH_ACCOUNT in") == std::string::npos) continue;
    INFO(entry.path());
    CHECK(planner::read_site(text, entry.path()).keep_environment ==
          std::vector<std::string>{"SBATCH_ACCOUNT"});
  }
}

TEST_CASE("shell lines are given as a list or as one text of several lines") {
  const auto list = planner::read_site("scheduler = 'local'\nmodules = ['a', 'b']", "c.toml");
  const auto text = planner::read_site("scheduler = 'local'\nmodules = '''\na\nb\n'''", "c.toml");
  CHECK(list.modules == std::vector<std::string>{"a", "b"});
  CHECK(text.modules == list.modules);
}

TEST_CASE("a site is named after its file, and its capabilities are next to the file") {
  const auto site =
      planner::read_site("scheduler = 'local'\ncapabilities = 'caps.json'", "/x/here.toml");
  CHECK(site.name == "here");
  CHECK(site.capabilities == "/x/caps.json");
}

TEST_CASE("a site is found by name or path, and an unknown name lists the known sites") {
  const std::filesystem::path folder = DLSCALE_SOURCE_DIR "/sites";
  CHECK(planner::site_file("nef", folder) == folder / "nef.toml");
  CHECK(planner::site_file("my/site.toml", folder) == "my/site.toml");
  CHECK(test::error_of([&] {
          planner::site_file("locla", folder);
        }).rfind("unknown site \"locla\"; did you mean \"local\"? (known: ", 0) == 0);
}

TEST_CASE("every shipped site can be read") {
  for (const auto& entry : std::filesystem::directory_iterator(DLSCALE_SOURCE_DIR "/sites")) {
    INFO(entry.path());
    const auto site = planner::read_site(base::read_file(entry.path()), entry.path());
    CHECK(site.name == entry.path().stem());
  }
}

TEST_CASE("a key that the site's batch system does not support is rejected at its location") {
  const std::string oar = "scheduler = 'oar'\nwalltime = '01:00:00'\n[[partitions]]\nname = 'p'\n";
  CHECK(site_error(oar + "qos = 'q'") ==
        "c.toml:5:1: partitions[0].qos: has no effect on OAR; leave it out");
  CHECK(site_error(oar + "memory_request = true") ==
        "c.toml:5:1: partitions[0].memory_request: has no effect on OAR; leave it out");
  CHECK(site_error(kSlurmSite + "[[partitions]]\nname = 'p'\nproperties = 'x'") ==
        "c.toml:5:1: partitions[0].properties: has no effect on SLURM; leave it out");
  CHECK(site_error("scheduler = 'local'\nmail = { user = 'a' }") ==
        "c.toml:2:1: mail: has no effect on a single machine; leave it out");
  CHECK(site_error("scheduler = 'local'\nbind = 'cores'") ==
        "c.toml:2:1: bind: has no effect on a single machine; leave it out");
  CHECK(
      site_error(oar + "types = ['besteffort']\nhost_resource = 'host'\nmoldable = true").empty());
}

TEST_CASE("conflicting keys and keys without required keys are rejected") {
  const std::string partition = kSlurmSite + "[[partitions]]\nname = 'p'\n";
  CHECK(site_error(partition + "memory_request = true") ==
        "c.toml:3:1: partitions[0]: memory_request needs memory_gb");
  CHECK(site_error(partition + "min_nodes = 4\nmax_nodes = 2") ==
        "c.toml:3:1: partitions[0]: max_nodes is below min_nodes");
  CHECK(site_error("scheduler = 'oar'\nwalltime = '01:00:00'\n[[partitions]]\nname = 'p'\n"
                   "moldable = true\nexclusive = true")
            .find("moldable and exclusive cannot be combined") != std::string::npos);
  CHECK(site_error("scheduler = 'local'\ncontainer = { kind = 'pyxis', image = 'x' }") ==
        "c.toml:2:13: container: pyxis is a plug-in of srun; set launcher = \"srun\"");
  CHECK(site_error("scheduler = 'local'\ncontainer = { kind = 'apptainer' }") ==
        "c.toml:2:13: container: image is missing");
  CHECK(site_error("scheduler = 'local'\ncontainer = { kind = 'docker', image = 'x' }")
            .find("unknown kind \"docker\" (known: apptainer, singularity, pyxis, enroot)") !=
        std::string::npos);
  CHECK(
      site_error(partition + "hint = 'nomultithreading'").find("did you mean \"nomultithread\"?") !=
      std::string::npos);
}

TEST_CASE("a launcher that does not match the batch system is rejected with valid ones") {
  const std::string rest = "\nwalltime = '01:00:00'\n[[partitions]]\nname = 'p'\n";
  const auto told = [&](const std::string& scheduler, const std::string& launcher) {
    return site_error("scheduler = '" + scheduler + "'\nlauncher = '" + launcher + "'" + rest);
  };
  CHECK(told("slurm", "oarsh") ==
        "c.toml:2:12: launcher: oarsh cannot start ranks on SLURM; use srun or mpirun");
  CHECK(told("oar", "srun") ==
        "c.toml:2:12: launcher: srun cannot start ranks on OAR; use oarsh or mpirun");
  for (const std::string launcher : {"srun", "oarsh"}) {
    CHECK(told("local", launcher) == "c.toml:2:12: launcher: " + launcher +
                                         " cannot start ranks on a single machine; use mpirun");
  }
  for (const char* scheduler : {"slurm", "oar", "local"}) CHECK(told(scheduler, "mpirun").empty());
  CHECK(told("slurm", "srun").empty());
  CHECK(told("oar", "oarsh").empty());
}
