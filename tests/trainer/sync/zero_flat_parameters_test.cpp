// SPDX-License-Identifier: Apache-2.0
#include "trainer/sync/zero_flat_parameters.hpp"

#include <torch/torch.h>

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
