// SPDX-License-Identifier: Apache-2.0
#include "planner/resources.hpp"

#include <catch2/catch.hpp>

#include "tests/planner/study_text.hpp"

using namespace dlscale;
using namespace dlscale::planner;

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

Allocation allocate_for(int gpus, const Site& site = booster(), const ResourceWishes& wishes = {}) {
  const Node node{std::int64_t{gpus}, {"s.toml", 5, 9}};
  return allocate(site, wishes, {node, "matrix.gpus"});
}

}  // namespace

TEST_CASE(
    "ranks fill nodes, cores are shared evenly, the first partition that takes them is used") {
  const Allocation four = allocate_for(4);
  CHECK(four.request.nodes == 1);
  CHECK(four.request.ranks_per_node == 4);
  CHECK(four.request.cores_per_rank == 12);
  CHECK(four.request.walltime_s == 3600);
  CHECK(four.partition == 0);
  CHECK(allocate_for(1024).request.nodes == 256);
  CHECK(allocate_for(1024).partition == 1);
}

TEST_CASE("ranks that do not fill whole nodes are spread evenly over more") {
  CHECK(allocate_for(6).request.nodes == 2);
  CHECK(allocate_for(6).request.ranks_per_node == 3);
  CHECK(allocate_for(5).request.nodes == 5);
}

TEST_CASE("more cores per rank mean fewer ranks on a node") {
  const Allocation wide = allocate_for(4, booster(), {.cores_per_rank = 24});
  CHECK(wide.request.nodes == 2);
  CHECK(wide.request.cores_per_rank == 24);
}

TEST_CASE("a job that fits nowhere is refused naming the limit of each partition") {
  CHECK(test::error_of([] { allocate_for(8192); }) ==
        "s.toml:5:9: matrix.gpus: 8192 GPUs do not fit on site j (small: 2048 nodes of 4 ranks, at "
        "most 2 nodes; large: 2048 nodes of 4 ranks, at most 936 nodes)");
  CHECK(test::error_of([] { allocate_for(4, booster(), {.walltime_s = 36000}); }) ==
        "s.toml:5:9: matrix.gpus: 4 GPUs do not fit on site j (small: walltime 10 h, at most 2 h; "
        "large: 1 nodes, at least 3)");
  CHECK(test::error_of([] {
          allocate_for(4, booster(), {.cores_per_rank = 64});
        }).find("small: 64 cores per rank on nodes of 48 cores") != std::string::npos);
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
