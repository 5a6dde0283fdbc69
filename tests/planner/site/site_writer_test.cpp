// SPDX-License-Identifier: Apache-2.0
#include "planner/site/site_writer.hpp"

#include <catch2/catch.hpp>

#include "planner/site/site_reader.hpp"

namespace dlscale {
namespace {

using planner::Partition;
using planner::Site;

Site small_site(const std::string& scheduler) {
  Site site;
  site.name = "jupiter";
  site.scheduler = scheduler;
  site.device = "cuda";
  site.communicator = "nccl";
  site.launcher = scheduler == "oar" ? "oarsh" : "srun";
  site.launcher_args = {"--bind-to", "none"};
  site.walltime_s = 5400;
  Partition partition;
  partition.name = "gpu";
  partition.gpus_per_node = 4;
  partition.cores_per_node = 48;
  site.partitions = {partition};
  return site;
}

Site read_back(const Site& site) {
  return planner::read_site(planner::site_text(site), "x.toml");
}

TEST_CASE("a written site is read back unchanged") {
  Site site = small_site("slurm");
  site.max_array_size = 4000;
  const Site back = read_back(site);
  CHECK(back.name == "jupiter");
  CHECK(back.scheduler == "slurm");
  CHECK(back.device == "cuda");
  CHECK(back.communicator == "nccl");
  CHECK(back.launcher == "srun");
  CHECK(back.launcher_args == site.launcher_args);
  CHECK(back.walltime_s == 5400);
  CHECK(back.max_array_size == 4000);
  CHECK(back.account.empty());
  CHECK(back.modules.empty());
}

TEST_CASE("a written partition is read back unchanged") {
  Site site = small_site("oar");
  Partition& partition = site.partitions[0];
  partition.nodes = 936;
  partition.gpu_type = "Tesla T4";
  partition.memory_gb = 1007;
  partition.min_nodes = 2;
  partition.max_nodes = 384;
  partition.max_walltime_s = 100 * 3600 + 59;
  partition.exclusive = true;
  partition.properties = "cluster='gemini'";
  partition.gpu_resource = "gpunum";
  const Partition back = read_back(site).partitions.at(0);
  CHECK(back.name == "gpu");
  CHECK(back.nodes == 936);
  CHECK(back.gpus_per_node == 4);
  CHECK(back.gpu_type == "Tesla T4");
  CHECK(back.cores_per_node == 48);
  CHECK(back.memory_gb == 1007);
  CHECK(back.min_nodes == 2);
  CHECK(back.max_nodes == 384);
  CHECK(back.max_walltime_s == 100 * 3600 + 59);
  CHECK(back.exclusive);
  CHECK(back.properties == "cluster='gemini'");
  CHECK(back.gpu_resource == "gpunum");
}

TEST_CASE("hostile site names stay within their quotes") {
  for (const std::string name : {"a\"\nscheduler = \"x", "\\", "'", "''", "$(x)", "ö\t#"}) {
    Site site = small_site("slurm");
    site.name = name;
    CHECK(read_back(site).name == name);
  }
}

TEST_CASE("unknown limits are not written") {
  const std::string text = planner::site_text(small_site("slurm"));
  for (const char* key : {"nodes", "min_nodes", "max_nodes", "max_walltime", "memory_gb",
                          "exclusive", "properties", "gpu_resource", "account", "modules"}) {
    CAPTURE(key);
    CHECK(text.find("\n" + std::string(key) + " = ") == std::string::npos);
  }
}

TEST_CASE("comments show the user which keys to fill in") {
  const std::string text = planner::site_text(small_site("oar"));
  CHECK(text.find("\n# account = ") != std::string::npos);
  CHECK(text.find("\n# modules = ") != std::string::npos);
  CHECK(text.find("# The OAR queue is `queue`, or `name` if `queue` is missing") !=
        std::string::npos);
}

}  // namespace
}  // namespace dlscale
