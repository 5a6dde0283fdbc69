// SPDX-License-Identifier: Apache-2.0
#include "predict/roofline.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

const Rates kRooflineRates{teraflops(10), gigabytes_per_s(1000)};

}  // namespace

TEST_CASE("a layer takes the longer of its FLOPs at peak and its bytes at bandwidth") {
  const auto card = test::made_card();
  const ComputeTimes times = roofline(card, kRooflineRates, 10, 0);
  // The first layer computes 40 GFLOP at 10 TFLOP/s and moves 1 GB at 1 TB/s. The second layer
  // computes 10 GFLOP and moves 2.8 GB.
  CHECK(times.layers[0].forward.time.value == Approx(4e-3));
  CHECK(times.layers[0].forward.bound == Bound::compute);
  CHECK(times.layers[2].forward.time.value == Approx(2.8e-3));
  CHECK(times.layers[2].forward.bound == Bound::memory);
  CHECK(times.forward().value == Approx(4e-3 + 1e-3 + 2.8e-3));
  CHECK(times.backward().value == Approx(2 * times.forward().value));
  CHECK(times.spent(Bound::compute).value == Approx(3 * 4e-3));
  CHECK(times.spent(Bound::memory).value == Approx(3 * (1e-3 + 2.8e-3)));
}

TEST_CASE("an optimizer moves parameters, gradients and its states") {
  const auto card = test::made_card();  // 300 MB of parameters
  CHECK(roofline(card, kRooflineRates, 1, optimizer_states("sgd", 0)).optimizer.value ==
        Approx(0.9e-3));
  CHECK(roofline(card, kRooflineRates, 1, optimizer_states("sgd", 0.9)).optimizer.value ==
        Approx(1.5e-3));
  CHECK(roofline(card, kRooflineRates, 1, optimizer_states("adamw", 0)).optimizer.value ==
        Approx(2.1e-3));
  CHECK(optimizer_states("lars", 0) == 1);
  auto twice = card;
  twice.precision = "fp64";
  CHECK(roofline(twice, kRooflineRates, 1, 0).optimizer.value == Approx(1.8e-3));
}

TEST_CASE("a higher peak is never slower and has no effect if memory bounds the step") {
  const auto card = test::made_card();
  Seconds before = roofline(card, {teraflops(1), kRooflineRates.memory_bandwidth}, 10, 1).total();
  for (double peak = 2; peak < 1000; peak *= 2) {
    const Seconds now =
        roofline(card, {teraflops(peak), kRooflineRates.memory_bandwidth}, 10, 1).total();
    CHECK(now <= before);
    before = now;
  }
  CHECK(roofline(card, {teraflops(1e6), kRooflineRates.memory_bandwidth}, 10, 1).total() ==
        roofline(card, {teraflops(1e9), kRooflineRates.memory_bandwidth}, 10, 1).total());
}

TEST_CASE("a precision without a peak is rejected with the available precisions") {
  const Device device{.name = "v100", .peak = {{"fp32", teraflops(14)}, {"fp64", teraflops(7)}}};
  CHECK(rates_of(device, "fp32").peak == teraflops(14));
  CHECK_THROWS_AS(rates_of(device, "tf32"), base::UsageError);
  CHECK_THROWS_WITH(rates_of(device, "tf32"),
                    "the device v100 has no peak for tf32 (it has: fp32, fp64)");
}
