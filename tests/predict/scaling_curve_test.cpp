// SPDX-License-Identifier: Apache-2.0
#include "predict/scaling_curve.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

const contract::ModelCard kCurveCard = test::made_card();

TrainingModel model(Factors links = {}) {
  const Network network{{microseconds(5), gigabytes_per_s(100)},
                        {microseconds(20), gigabytes_per_s(12)}};
  return {.card = kCurveCard,
          .computing = {.rates = {teraflops(10), gigabytes_per_s(1000)}},
          .all_reduce =
              [=](Placement ranks, Bytes message) {
                return LinkEstimate{all_reduce(network, ranks, message), links};
              },
          .gpus_per_node = 4};
}

constexpr CurveSetting kWeak{.batch_per_gpu = 10, .samples = 10'000, .epochs = 3};

}  // namespace

TEST_CASE("efficiency is 1 at the first count and falls as communication shows") {
  const auto curve = scaling_curve(model(), kWeak, doubled_counts(1, 1024));
  REQUIRE(curve.size() == 11);
  CHECK(curve.front().efficiency.value == 1);
  CHECK(curve.back().ranks.nodes == 256);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    CHECK(curve[i].efficiency.value <= curve[i - 1].efficiency.value + 1e-12);
    CHECK(curve[i].efficiency.value > 0);
  }
}

TEST_CASE("an epoch is its steps, and GPU-hours are of all epochs") {
  const auto curve = scaling_curve(model(), kWeak, {1, 4});
  CHECK(curve[1].epoch_s.value == Approx(250 * curve[1].step.total().value));
  CHECK(curve[1].gpu_hours == Approx(curve[1].epoch_s.value * 3 * 4 / 3600));
  CHECK(curve[1].samples_per_s == Approx(40 / curve[1].step.total().value));
}

TEST_CASE("strong scaling divides the batch, and ends at one sample for a GPU") {
  CurveSetting strong = kWeak;
  strong.strong = true;
  const auto curve = scaling_curve(model(), strong, {1, 2, 8, 16});
  REQUIRE(curve.size() == 3);
  CHECK(curve[2].batch_per_gpu == Approx(1.25));
}

TEST_CASE("bands hold the value and have no width where nothing is uncertain") {
  const auto sure = scaling_curve(model(), kWeak, {1, 64});
  CHECK(sure[1].epoch_s.low == sure[1].epoch_s.value);
  CHECK(sure[1].efficiency.high == sure[1].efficiency.value);
  TrainingModel unsure = model({0.5, 2});
  unsure.computing.roofline_sure = {1, 2};
  const auto wide = scaling_curve(unsure, kWeak, {1, 64});
  for (const Band& band : {wide[1].epoch_s, wide[1].efficiency}) {
    CHECK(band.low < band.value);
    CHECK(band.high > band.value);
  }
  CHECK(wide[0].efficiency.low == 1);
}

TEST_CASE("the knee is the last count that is worth its GPUs") {
  const auto curve = scaling_curve(model(), kWeak, doubled_counts(4, 1024));
  const int found = knee(curve, 0.8);
  for (const CurvePoint& point : curve) {
    if (point.ranks.gpus <= found) CHECK(point.efficiency.value >= 0.8);
    if (point.ranks.gpus == 2 * found) CHECK(point.efficiency.value < 0.8);
  }
  CHECK(knee({}, 0.8) == 0);
  CHECK(knee(curve, 0) == 1024);
}

TEST_CASE("counts double up to the last one") {
  CHECK(doubled_counts(4, 100) == std::vector<int>{4, 8, 16, 32, 64, 100});
  CHECK(doubled_counts(8, 8) == std::vector<int>{8});
  CHECK(doubled_counts(8, 4) == std::vector<int>{8});
}
