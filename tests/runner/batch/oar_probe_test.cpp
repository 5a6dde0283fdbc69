// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "runner/batch/cluster_probe.hpp"

namespace dlscale {
namespace {

runner::Cluster probe(const std::string& answer) {
  return base::find(runner::cluster_probe_table(), "scheduler", "oar")
      .probe([&](const std::vector<std::string>&) { return answer; });
}

/// Returns one core as `oarnodes -J` of OAR 2.5 prints it, without the unused properties.
std::string core(int id, const std::string& host, const std::string& properties) {
  const auto unless_said = [&](const char* key, const char* value) {
    return properties.find(key) != properties.npos ? ""
                                                   : fmt::format(R"(, "{}" : "{}")", key, value);
  };
  return fmt::format(
      R"("{0}" : {{"resource_id" : {0}, "network_address" : "{1}", "core" : {0}{2}{3}{4}}},)", id,
      host, unless_said("type", "default"), unless_said("state", "Alive"), properties);
}

std::string object(std::string items) {
  items.back() = '}';
  return "{" + items;
}

TEST_CASE("hosts are counted with their cores and GPUs") {
  const std::string t4 = R"(, "gpu_model" : "Tesla T4", "memnode" : 98304, "gpu" : )";
  const runner::Cluster cluster =
      probe(object(core(1, "a", t4 + "1") + core(2, "a", t4 + "1") + core(3, "a", t4 + "2") +
                   core(4, "b", t4 + "3") + core(5, "b", t4 + "4")));
  REQUIRE(cluster.groups.size() == 1);
  const runner::NodeGroup& group = cluster.groups[0];
  CHECK(group.partition == "default");
  CHECK(group.nodes == 2);
  CHECK(group.gpus_per_node == 2);
  CHECK(group.cores_per_node == 2);
  CHECK(group.memory_gb == 103);
  CHECK(group.gpu_type == "Tesla T4");
  CHECK(group.gpu_resource == "gpu");
  CHECK(group.properties.empty());
}

TEST_CASE("clusters of one site are distinguished by the cluster property") {
  const runner::Cluster cluster =
      probe(object(core(1, "a", R"(, "cluster" : "gemini", "gpunum" : "1")") +
                   core(2, "b", R"(, "cluster" : "nova", "gpunum" : null)")));
  REQUIRE(cluster.groups.size() == 2);
  CHECK(cluster.groups[0].properties == "cluster='gemini'");
  CHECK(cluster.groups[0].gpu_resource == "gpunum");
  CHECK(cluster.groups[0].gpus_per_node == 1);
  CHECK(cluster.groups[1].properties == "cluster='nova'");
  CHECK(cluster.groups[1].gpus_per_node == 0);
}

TEST_CASE("a GPU count of 0 overrides the GPU properties of the cores") {
  const runner::Cluster cluster =
      probe(object(core(1, "a", R"(, "gpu_count" : 0, "gpu" : 0, "gpu_model" : "none")")));
  REQUIRE(cluster.groups.size() == 1);
  CHECK(cluster.groups[0].gpus_per_node == 0);
  CHECK(cluster.groups[0].gpu_type.empty());
}

TEST_CASE("dead nodes and resources that are not cores are left out") {
  const runner::Cluster cluster =
      probe(object(core(1, "a", "") + core(2, "b", R"(, "state" : "Dead")") +
                   core(3, "", R"(, "type" : "licence")")));
  REQUIRE(cluster.groups.size() == 1);
  CHECK(cluster.groups[0].nodes == 1);
}

TEST_CASE("nodes without jobs are free, and nodes that start no jobs are not") {
  const auto with_job = R"(, "jobs" : "17, 18")";
  const runner::Cluster cluster =
      probe(object(core(1, "a", "") + core(2, "a", "") + core(3, "b", with_job) + core(4, "b", "") +
                   core(5, "c", with_job) + core(6, "d", R"(, "state" : "Suspected")") +
                   core(7, "e", R"(, "drain" : "YES")")));
  REQUIRE(cluster.groups.size() == 1);
  CHECK(cluster.groups[0].use_is_known);
  CHECK(cluster.groups[0].nodes == 5);
  CHECK(cluster.groups[0].free_nodes == 1);
  CHECK(cluster.groups[0].shared_nodes == 1);
}

TEST_CASE("resources grouped by host are read") {
  const runner::Cluster cluster =
      probe(R"({"a" : )" + object(core(1, "a", "") + core(2, "a", "")) + "}");
  REQUIRE(cluster.groups.size() == 1);
  CHECK(cluster.groups[0].cores_per_node == 2);
}

TEST_CASE("an answer that is not JSON is an error") {
  CHECK_THROWS_WITH(probe("No Perl JSON module is available"),
                    Catch::StartsWith("oarnodes -J printed no JSON"));
  CHECK(probe("{}").groups.empty());
}

}  // namespace
}  // namespace dlscale
