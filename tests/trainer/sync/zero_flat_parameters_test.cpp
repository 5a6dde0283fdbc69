// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_gradient_buckets.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>

using namespace dlscale;

TEST_CASE("parameters in one vector keep their values, shapes and memory format") {
  const at::Tensor first = torch::randn({4, 3, 2, 2}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor second = torch::randn({5, 2});
  const std::vector<at::Tensor> parameters{first.clone(), second.clone()};
  const trainer::FlatParameters flat(parameters, 3);
  CHECK(torch::equal(parameters[0], first));
  CHECK(torch::equal(parameters[1], second));
  CHECK(parameters[0].is_contiguous(at::MemoryFormat::ChannelsLast));
  CHECK(parameters[1].is_contiguous());
  CHECK(flat.vector().numel() == 60);
  CHECK(torch::equal(flat.vector().narrow(0, flat.range(0).first, flat.range(0).count),
                     trainer::in_memory_order(first)));
  CHECK(parameters[1].data_ptr() == flat.vector()[48].data_ptr());
}

TEST_CASE("the pieces of all partitions cover each parameter once, in any dimensions") {
  const std::vector<at::Tensor> parameters{torch::randn({4, 3}), torch::randn({5}),
                                           torch::randn({2, 2, 2})};
  const trainer::FlatParameters flat(parameters, 3);  // 25 elements on 3 ranks, 9 per rank
  std::vector<std::int64_t> covered(3);
  for (int rank = 0; rank < 3; ++rank) {
    const auto pieces = flat.pieces(rank);
    REQUIRE(pieces.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(pieces[i].parameter == i);
      CHECK(pieces[i].is_weight == (i != 1));
      CHECK(pieces[i].first + pieces[i].count <= flat.partition_size());
      covered[i] += pieces[i].count;
    }
  }
  CHECK(covered == std::vector<std::int64_t>{12, 5, 8});
  CHECK(flat.pieces(1)[0].count == 3);
  CHECK(flat.pieces(1)[1].first == 3);
}
