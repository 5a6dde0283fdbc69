// SPDX-License-Identifier: Apache-2.0
#include "trainer/optim/loss_scaler.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "trainer/checkpoint/tensor_archive.hpp"

using namespace dlscale;
using trainer::LossScaler;

TEST_CASE("the loss scale doubles after 2000 finite steps in a row and halves after an overflow") {
  LossScaler scaler;
  CHECK(scaler.scale() == 65536);
  for (int step = 0; step < 1999; ++step) scaler.update(true);
  CHECK(scaler.scale() == 65536);
  scaler.update(true);
  CHECK(scaler.scale() == 131072);
  for (int step = 0; step < 1999; ++step) scaler.update(true);
  scaler.update(false);
  CHECK(scaler.scale() == 65536);
  scaler.update(true);
  CHECK(scaler.scale() == 65536);
  CHECK(scaler.take_skipped() == 1);
  CHECK(scaler.take_skipped() == 0);
}

TEST_CASE("gradients are divided by the scale, and values that are not finite are detected") {
  LossScaler scaler;
  std::vector<at::Tensor> tensors{torch::zeros({3}), torch::zeros({2, 2}), torch::zeros({1})};
  const at::Tensor loss = torch::zeros({});
  for (int i : {0, 1}) {
    tensors[static_cast<std::size_t>(i)].mutable_grad() =
        torch::full_like(tensors[static_cast<std::size_t>(i)], 3) * scaler.loss_gradient(loss);
  }
  CHECK(scaler.unscale(tensors));
  CHECK(torch::equal(tensors[1].grad(), torch::full({2, 2}, 3.0F)));
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")}) {
    tensors[0].mutable_grad()[1] = bad;
    CHECK(!scaler.unscale(tensors));
  }
  CHECK(scaler.unscale({tensors[2]}));
}

TEST_CASE("a loss scale is restored from its state") {
  LossScaler scaler, other;
  for (int step = 0; step < 1998; ++step) scaler.update(true);
  scaler.update(false);
  for (int step = 0; step < 1999; ++step) scaler.update(true);
  other.state()[0].tensor.copy_(scaler.state()[0].tensor);
  CHECK(other.scale() == 32768);
  other.update(true);
  CHECK(other.scale() == 65536);
}

TEST_CASE("the loss scale stays the same if twice the scale would overflow") {
  LossScaler scaler;
  scaler.state()[0].tensor[0].fill_(std::ldexp(1.0, 127));
  for (int step = 0; step < 2000; ++step) scaler.update(true);
  CHECK(scaler.scale() == std::ldexp(1.0, 127));
}
