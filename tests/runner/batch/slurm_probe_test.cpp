// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "runner/batch/cluster_probe.hpp"

namespace dlscale {
namespace {

/// Output of SLURM 22.05 as far as the probe reads it.
struct Answers {
  std::string partitions, nodes;
  std::string config =
      "Configuration data as of 2026-01-01T00:00:00\n"
      "ClusterName             = jupiter\n"
      "MaxArraySize            = 1001\n";
};

runner::Cluster slurm_probe(const Answers& answers) {
  const auto ask = [&](const std::vector<std::string>& words) -> std::string {
    if (words[0] == "sinfo") return answers.nodes;
    return words[2] == "config" ? answers.config : answers.partitions;
  };
  return base::find(runner::cluster_probe_table(), "scheduler", "slurm").probe(ask);
}

std::string partition(const std::string& name, const std::string& rest = "") {
  return fmt::format(
      "PartitionName={} AllowGroups=ALL Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED MinNodes=0 "
      "RootOnly=NO OverSubscribe=NO State=UP {}\n",
      name, rest);
}

TEST_CASE("a partition has the nodes, GPUs, cores and limits that SLURM reports") {
  const runner::Cluster cluster = slurm_probe(
      {"PartitionName=booster AllowGroups=ALL Default=YES MaxNodes=384 MaxTime=1-12:00:00 "
       "MinNodes=2 RootOnly=NO OverSubscribe=EXCLUSIVE State=UP TotalNodes=936\n",
       "booster|936|2|24|524288|gpu:a100:4(S:0-1)\n"});
  CHECK(cluster.name == "jupiter");
  CHECK(cluster.max_array_size == 1001);
  REQUIRE(cluster.groups.size() == 1);
  const runner::NodeGroup& group = cluster.groups[0];
  CHECK(group.partition == "booster");
  CHECK(group.nodes == 936);
  CHECK(group.gpus_per_node == 4);
  CHECK(group.gpu_type == "a100");
  CHECK(group.cores_per_node == 48);
  CHECK(group.memory_gb == 549);
  CHECK(group.min_nodes == 2);
  CHECK(group.max_nodes == 384);
  CHECK(group.max_walltime_s == 36 * 3600.0);
  CHECK(group.exclusive);
}

TEST_CASE("idle nodes are free, and nodes that do not respond or are reserved are not") {
  const std::string shape = "|2|24|1024|gpu:4|";
  std::string lines;
  for (const char* state : {"idle", "idle~", "idle#", "idle*", "idle$", "allocated", "drained"}) {
    lines += "gpu|1" + shape + state + "\n";
  }
  const runner::Cluster cluster =
      slurm_probe({partition("gpu"), lines + "gpu|5" + shape + "mixed\n"});
  REQUIRE(cluster.groups.size() == 1);
  CHECK(cluster.groups[0].use_is_known);
  CHECK(cluster.groups[0].nodes == 12);
  CHECK(cluster.groups[0].free_nodes == 3);
  CHECK(cluster.groups[0].shared_nodes == 5);
  CHECK_FALSE(slurm_probe({partition("gpu"), "gpu|1|2|24|1024|gpu:4\n"}).groups[0].use_is_known);
}

TEST_CASE("UNLIMITED in SLURM is read as no limit") {
  const runner::Cluster cluster = slurm_probe({partition("gpu"), "gpu|1|2|24|1024|gpu:4\n"});
  REQUIRE(cluster.groups.size() == 1);
  CHECK(cluster.groups[0].max_nodes == 0);
  CHECK(cluster.groups[0].max_walltime_s == 0);
  CHECK_FALSE(cluster.groups[0].exclusive);
}

TEST_CASE("the default partition comes first, and closed and empty partitions are left out") {
  const runner::Cluster cluster = slurm_probe(
      {partition("a") + partition("down", "State=DOWN") + partition("admin", "RootOnly=YES") +
           partition("empty") + partition("b", "Default=YES"),
       "a|1|1|1|1024|(null)\ndown|1|1|1|1024|(null)\nadmin|1|1|1|1024|(null)\n"
       "empty|0|0|0|0|(null)\nb|1|1|1|1024|(null)\n"});
  REQUIRE(cluster.groups.size() == 2);
  CHECK(cluster.groups[0].partition == "b");
  CHECK(cluster.groups[1].partition == "a");
  CHECK(cluster.closed == std::map<std::string, std::string>{{"down", "DOWN"}});
}

TEST_CASE("nodes with different GPUs are separate groups with the smallest resources") {
  const runner::Cluster cluster =
      slurm_probe({partition("gpu"),
                   "gpu|3|2|16|262144|gpu:v100:4\ngpu|5|2|24|131072|gpu:v100:4(S:0,1),nvme:1\n"
                   "gpu|2|2|32|524288|gpu:h100:8\n"});
  REQUIRE(cluster.groups.size() == 2);
  CHECK(cluster.groups[0].nodes == 8);
  CHECK(cluster.groups[0].cores_per_node == 32);
  CHECK(cluster.groups[0].memory_gb == 137);
  CHECK(cluster.groups[1].gpu_type == "h100");
  CHECK(cluster.groups[1].gpus_per_node == 8);
}

TEST_CASE("GRES of several kinds are counted together, without a type") {
  const auto gpus = [](const std::string& gres) {
    const runner::Cluster cluster = slurm_probe({partition("p"), "p|1|1|1|1|" + gres + "\n"});
    return fmt::format("{} {}", cluster.groups.at(0).gpus_per_node, cluster.groups.at(0).gpu_type);
  };
  CHECK(gpus("gpu:a100:2,gpu:v100:2") == "4 ");
  CHECK(gpus("lustre:1,gpu:3(S:0,1),nvme:1") == "3 ");
  CHECK(gpus("gpu") == "1 ");
  CHECK(gpus("(null)") == "0 ");
  CHECK(gpus("gpumem:40") == "0 ");
}

TEST_CASE("answers without a single partition give an empty cluster") {
  const runner::Cluster cluster = slurm_probe({"", "", ""});
  CHECK(cluster.groups.empty());
  CHECK(cluster.name.empty());
  CHECK(cluster.max_array_size == 0);
}

}  // namespace
}  // namespace dlscale
