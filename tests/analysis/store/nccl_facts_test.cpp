// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/nccl_facts.hpp"

#include <catch2/catch.hpp>

using namespace dlscale;
using Facts = std::map<std::string, std::string>;

TEST_CASE("NCCL's version, channels and algorithms are read from the output of a run") {
  CHECK(analysis::nccl_facts(
            "NCCL version 2.23.4+cuda12.6\n"
            "n1:7:9 [0] NCCL INFO 24 coll channels, 24 collnet channels, 0 nvls channels, 32 p2p "
            "channels, 32 p2p channels per peer\n"
            "n1:7:9 [0] NCCL INFO AllReduce: 4194304 Bytes -> Algo RING proto SIMPLE "
            "channel{Lo..Hi}={0..1}\n"
            "n1:7:9 [0] NCCL INFO AllReduce: 8388608 Bytes -> Algo RING proto SIMPLE "
            "channel{Lo..Hi}={0..1}\n"
            "n1:7:9 [0] NCCL INFO AllGather: 1024 Bytes -> Algo TREE proto LL\n") ==
        Facts{{"nccl", "2.23.4+cuda12.6"},
              {"nccl_channels", "24"},
              {"nccl_algorithms",
               "AllReduce: Algo RING proto SIMPLE; AllGather: Algo TREE proto LL"}});
}

TEST_CASE("numbers of older NCCL versions stay as they are printed") {
  CHECK(
      analysis::nccl_facts("n1:7:9 [1] NCCL INFO 33554432 Bytes -> Algo 1 proto 2 time 211.8\n") ==
      Facts{{"nccl_algorithms", "Algo 1 proto 2"}});
}

TEST_CASE("output without messages of NCCL gives no facts") {
  CHECK(analysis::nccl_facts("").empty());
  CHECK(analysis::nccl_facts("epoch 1: 4 coll channels\n3 Bytes -> Algo 1 proto 2\n").empty());
  CHECK(analysis::nccl_facts("NCCL version unknown\nn1:7:9 [0] NCCL INFO -> Algo\n").empty());
  CHECK(analysis::nccl_facts_in({"/no/such/file"}).empty());
}
