// SPDX-License-Identifier: Apache-2.0
#include "planner/site/resources.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

Site booster() {
  Site site{.name = "j", .scheduler = "slurm", .device = "cuda"};
  site.walltime_s = 3600;
  site.partitions = {
      {.name = "small",
       .gpus_per_node = 4,
       .cores_per_node = 48,
       .max_nodes = 2,
       .max_walltime_s = 7200},
      {.name = "large", .gpus_per_node = 4, .cores_per_node = 48, .min_nodes = 3, .max_nodes = 936},
  };
  return site;
}

Allocation allocate_for(int gpus, const Site& site = booster(),
                        const ResourceSettings& requested = {}) {
  const Node node{std::int64_t{gpus}, {"s.toml", 5, 9}};
  return allocate(site, requested, {node, "matrix.gpus"});
}

}  // namespace

TEST_CASE("ranks fill nodes, share cores evenly and use the first suitable partition") {
  const Allocation four = allocate_for(4);
  CHECK(four.request.nodes == 1);
  CHECK(four.request.ranks_per_node == 4);
  CHECK(four.request.cores_per_rank == 12);
  CHECK(four.request.walltime_s == 3600);
  CHECK(four.partition == 0);
  CHECK(allocate_for(1024).request.nodes == 256);
  CHECK(allocate_for(1024).partition == 1);
}

TEST_CASE("the first partition with enough nodes is found regardless of time limits") {
  const Site site = booster();
  const ResourceSettings long_ones{.walltime_s = 36000};
  CHECK(roomy_partition(site, long_ones, 4)->name == "small");
  CHECK(roomy_partition(site, long_ones, 12)->name == "large");
  CHECK(roomy_partition(site, {}, 8192) == nullptr);
  CHECK(roomy_partition({.name = "local"}, {}, 4) == nullptr);
  ResourceSettings named;
  named.partition = Node{std::string("large"), {"s.toml", 7, 1}};
  CHECK(roomy_partition(site, named, 12)->name == "large");
  CHECK(roomy_partition(site, named, 4) == nullptr);
}

TEST_CASE("ranks that do not fill whole nodes are spread evenly over more nodes") {
  CHECK(allocate_for(6).request.nodes == 2);
  CHECK(allocate_for(6).request.ranks_per_node == 3);
  CHECK(allocate_for(5).request.nodes == 5);
}

TEST_CASE("more cores per rank mean fewer ranks on a node") {
  const Allocation wide = allocate_for(4, booster(), {.cores_per_rank = 24});
  CHECK(wide.request.nodes == 2);
  CHECK(wide.request.cores_per_rank == 24);
}

TEST_CASE("a job that does not fit is rejected with the limit of each partition") {
  CHECK(test::error_of([] { allocate_for(8192); }) ==
        "s.toml:5:9: matrix.gpus: 8192 GPUs do not fit on site j (small: needs 2048 nodes of 4 "
        "ranks, but at most 2 nodes are allowed; large: needs 2048 nodes of 4 ranks, but at most "
        "936 nodes are allowed)");
  CHECK(test::error_of([] { allocate_for(4, booster(), {.walltime_s = 36000}); }) ==
        "s.toml:5:9: matrix.gpus: 4 GPUs do not fit on site j (small: the walltime is 10 h, but "
        "the limit is 2 h; large: needs 1 nodes, but jobs must use at least 3 nodes)");
  CHECK(test::error_of([] {
          allocate_for(4, booster(), {.cores_per_rank = 64});
        }).find("small: 64 cores per rank requested, but nodes have only 48 cores") !=
        std::string::npos);
}

TEST_CASE("the site's walltime is cut to the limit of a partition that the study names") {
  Site site = booster();
  site.walltime_s = 36000;
  const Node small{std::string("small"), {}};
  CHECK(allocate_for(4, site, {.partition = small}).request.walltime_s == 7200);
  CHECK(test::error_of([&] {
          allocate_for(4, site);
        }).find("the walltime is 10 h, but the limit is 2 h") != std::string::npos);
  const ResourceSettings for_small{.walltime_s = 36000, .partition = small};
  CHECK(test::error_of([&] {
          allocate_for(4, site, for_small);
        }).find("the walltime is 10 h, but the limit is 2 h") != std::string::npos);
}

TEST_CASE("the study may name the partition") {
  const Node large{std::string("large"), {"s.toml", 9, 3}},
      typo{std::string("lrge"), {"s.toml", 9, 3}};
  CHECK(allocate_for(12, booster(), {.partition = large}).request.nodes == 3);
  CHECK(test::error_of([&] { allocate_for(12, booster(), {.partition = typo}); }) ==
        "s.toml:9:3: resources.partition: unknown partition \"lrge\"; did you mean \"large\"? "
        "(known: small, large) on site j");
}

TEST_CASE("a site without partitions is one machine with room for all ranks") {
  const Allocation local = allocate_for(7, {.name = "local", .scheduler = "local"});
  CHECK(local.request.nodes == 1);
  CHECK(local.request.ranks_per_node == 7);
  CHECK(local.request.cores_per_rank == 1);
  CHECK(local.partition == -1);
}

namespace {

const Node kPlace{std::int64_t{1}, {"s.toml", 20, 7}};

Site one_partition(const Partition& partition) {
  Site site{.name = "x", .scheduler = "slurm", .device = "cuda"};
  site.walltime_s = 3600;
  site.partitions = {partition};
  return site;
}
const Partition kSixteen{.name = "p", .gpus_per_node = 4, .cores_per_node = 48, .nodes = 16};

}  // namespace

TEST_CASE("more nodes than exist do not fit") {
  CHECK(allocate_for(64, one_partition(kSixteen)).request.nodes == 16);
  CHECK(test::error_of([] { allocate_for(68, one_partition(kSixteen)); }) ==
        "s.toml:5:9: matrix.gpus: 68 GPUs do not fit on site x (p: needs 17 nodes of 4 ranks, but "
        "only 16 nodes exist)");
}

TEST_CASE("a resource setting that no partition fulfils is rejected at its location") {
  const Partition small{.name = "p", .gpus_per_node = 4, .memory_gb = 64, .gpu_type = "V100"};
  ResourceSettings memory{.memory_gb = 80}, model{.gpu_type = "A100"}, time{.walltime_s = 7200};
  memory.said["memory_gb"] = model.said["gpu_type"] = time.said["walltime"] = kPlace;
  CHECK(test::error_of([&] { allocate_for(1, one_partition(small), memory); }) ==
        "s.toml:20:7: resources.memory_gb: 1 GPU does not fit on site x (p: 80 GB per node "
        "requested, but nodes have only 64 GB)");
  CHECK(test::error_of([&] { allocate_for(1, one_partition(small), model); }) ==
        "s.toml:20:7: resources.gpu_type: 1 GPU does not fit on site x (p: its GPUs are of type "
        "V100)");
  Site short_site = one_partition(small);
  short_site.partitions[0].max_walltime_s = 3600;
  CHECK(test::error_of([&] { allocate_for(1, short_site, time); })
            .find("s.toml:20:7: resources.walltime: 1 GPU does not fit on site x (p: the walltime "
                  "is 2 h, but the limit is 1 h)") == 0);
}

TEST_CASE("the partition with the requested GPUs or memory is used") {
  Site site = one_partition({.name = "v", .gpus_per_node = 4, .memory_gb = 64, .gpu_type = "V100"});
  site.partitions.push_back(
      {.name = "a", .gpus_per_node = 4, .memory_gb = 512, .gpu_type = "A100"});
  CHECK(allocate_for(1, site).partition == 0);
  CHECK(allocate_for(1, site, {.gpu_type = "A100"}).partition == 1);
  CHECK(allocate_for(1, site, {.memory_gb = 100}).partition == 1);
}

TEST_CASE("a predicted run time determines the walltime up to the partition's limit") {
  Site site = one_partition(kSixteen);
  const Node node{std::int64_t{4}, {"s.toml", 5, 9}};
  const auto walltime = [&](double predicted_s, const ResourceSettings& requested = {}) {
    const predict::Band band{predicted_s, predicted_s, predicted_s};
    return allocate(site, requested, {node, "matrix.gpus"}, band).request.walltime_s;
  };
  CHECK(walltime(0) == 3600);
  CHECK(walltime(3600) == 1.5 * 3600 + 120);
  CHECK(walltime(3600, {.margin = 2}) == 2 * 3600 + 120);
  CHECK(walltime(3600, {.walltime_s = 60}) == 60);
  site.partitions[0].max_walltime_s = 4000;
  CHECK(walltime(3600) == 4000);
  CHECK(test::error_of([&] { walltime(4001); }) ==
        "s.toml:5:9: matrix.gpus: 4 GPUs do not fit on site x (p: the predicted run time is 1.111 "
        "h (1.111 h to 1.111 h), but the limit is 1.111 h)");
}

TEST_CASE("a time limit is at least the upper edge of the predicted band") {
  const Site site = one_partition(kSixteen);
  const Node node{std::int64_t{4}, {"s.toml", 5, 9}};
  const auto walltime = [&](const predict::Band& band) {
    return allocate(site, {}, {node, "matrix.gpus"}, band).request.walltime_s;
  };
  CHECK(walltime({3600, 3000, 5000}) == 1.5 * 3600 + 120);  // 3600 x 1.5 exceeds 5000
  CHECK(walltime({3600, 3000, 36000}) == 36000 + 120);
}

TEST_CASE("study settings replace those of the partition, and the site gives the account") {
  Site site = one_partition({.name = "p", .account = "", .qos = "normal", .constraint = "gpu"});
  site.account = "project";
  const Partition own = partition_for(site, {}, {.partition = 0});
  CHECK(own.account == "project");
  CHECK(own.qos == "normal");
  CHECK_FALSE(own.exclusive);
  const Partition requested =
      partition_for(site, {.account = "mine", .qos = "debug", .exclusive = true}, {.partition = 0});
  CHECK(requested.account == "mine");
  CHECK(requested.qos == "debug");
  CHECK(requested.constraint == "gpu");
  CHECK(requested.exclusive);
}

TEST_CASE("the even shapes of a job are those that fit its partition") {
  const auto shapes = even_shapes({.max_nodes = 6}, 12, 4);
  REQUIRE(shapes.size() == 3);
  CHECK(shapes[0].nodes == 3);
  CHECK(shapes[2].nodes == 6);
  CHECK(shapes[2].ranks_per_node == 2);
  CHECK(even_shapes({.nodes = 2}, 4, 4).size() == 2);
}

TEST_CASE("a partition name is ignored on a single machine") {
  const Node name{std::string("booster"), {"s.toml", 9, 3}};
  CHECK(allocate_for(2, {.name = "local", .scheduler = "local"}, {.partition = name}).partition ==
        -1);
}
