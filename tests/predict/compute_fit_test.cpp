// SPDX-License-Identifier: Apache-2.0
#include "predict/compute_fit.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

const Rates kRates{teraflops(10), gigabytes_per_s(1000)};

contract::ComputeTime measured_passes(std::int64_t batch, double per_sample) {
  const double samples = static_cast<double>(batch);
  return {.model = "made",
          .input = {3, 4, 4},
          .batch = batch,
          .forward_s = 1e-3 + per_sample * samples,
          .backward_s = 2e-3 + 2 * per_sample * samples,
          .optimizer_s = 5e-4};
}

}  // namespace

TEST_CASE("start and slope of a step are recovered from two batches") {
  const BatchFit fit = fit_batches({8, 64}, {1e-3 + 8e-4, 1e-3 + 64e-4});
  CHECK(fit.start.value == Approx(1e-3));
  CHECK(fit.per_sample.value == Approx(1e-4));
  CHECK(fit.relative_error == Approx(0).margin(1e-9));
  CHECK(fit_batches({8}, {1e-3}).at(16).value == Approx(2e-3));
  CHECK(fit_batches({8, 16}, {1e-3, 4e-3}).start.value == 0);
  CHECK(fit_batches({8, 16}, {4e-3, 1e-3}).per_sample.value == 0);
}

TEST_CASE("without measurements the roofline is used with its given uncertainty") {
  const auto card = test::made_card();
  const ComputeEstimate estimate = estimate_compute(card, 10, {kRates, 0, {}, {1, 2.5}});
  CHECK(estimate.times.total() == roofline(card, kRates, 10, 0).total());
  CHECK(estimate.measured == 0);
  CHECK(estimate.sure.high == 2.5);
}

TEST_CASE("steps of a model with other settings do not count as measured") {
  contract::ModelCard card = test::made_card();
  CHECK(times_of({measured_passes(8, 1e-3)}, card, "fp32").size() == 1);
  card.options.backbone = "vgg16";
  CHECK(times_of({measured_passes(8, 1e-3)}, card, "fp32").empty());
  contract::ComputeTime own = measured_passes(8, 1e-3);
  own.options.backbone = "vgg16";
  CHECK(times_of({own, measured_passes(8, 1e-3)}, card, "fp32") ==
        std::vector<contract::ComputeTime>{own});
}

TEST_CASE("measured steps scale all layers by the same factor") {
  const auto card = test::made_card();
  const ComputeTimes plain = roofline(card, kRates, 16, 0);
  const ComputeEstimate estimate = estimate_compute(
      card, 16, {kRates, 0, {measured_passes(8, 1e-3), measured_passes(32, 1e-3)}, {1, 2.5}});
  CHECK(estimate.times.forward().value == Approx(17e-3));
  CHECK(estimate.times.backward().value == Approx(34e-3));
  CHECK(estimate.times.optimizer.value == Approx(5e-4));
  CHECK(estimate.times.layers[0].forward.time / plain.layers[0].forward.time ==
        Approx(estimate.times.layers[2].forward.time / plain.layers[2].forward.time));
  CHECK(estimate.measured == 2);
  CHECK(estimate.sure.high < 1.1);
}

TEST_CASE("a batch far from all measured batches is marked as extrapolated") {
  const auto card = test::made_card();
  const std::vector<contract::ComputeTime> times{measured_passes(8, 1e-3),
                                                 measured_passes(32, 1e-3)};
  const auto far = [&](double batch) {
    return estimate_compute(card, batch, {kRates, 0, times, {}}).extrapolated;
  };
  CHECK_FALSE(far(4));
  CHECK_FALSE(far(64));
  CHECK(far(3));
  CHECK(far(65));
}

TEST_CASE("the uncertainty grows with the distance from the measured batches") {
  const auto card = test::made_card();
  const auto high = [&](double batch) {
    const ComputeBasis basis{kRates, 0, {measured_passes(8, 1e-3), measured_passes(32, 1e-3)}, {}};
    return estimate_compute(card, batch, basis).sure.high;
  };
  CHECK(high(16) < 1.1);
  CHECK(high(33) == Approx(1.1));
  CHECK(high(4) == Approx(1.1));
  CHECK(high(65) == Approx(1.25));
  CHECK(high(1) == Approx(1.25));
}

TEST_CASE("only times of the same model, input and precision are used") {
  auto other = measured_passes(8, 1e-3);
  other.precision = "bf16";
  auto larger = measured_passes(8, 1e-3);
  larger.input = {3, 224, 224};
  CHECK(times_of({measured_passes(8, 1e-3), other, larger}, test::made_card(), "fp32").size() == 1);
}

TEST_CASE("steps of two precisions that share a cost model are distinguished") {
  auto fast = measured_passes(8, 1e-3);
  fast.precision = "tf32";
  const auto card = test::made_card();  // cost model in fp32
  const std::vector<contract::ComputeTime> both{measured_passes(8, 1e-3), fast};
  CHECK(times_of(both, card, "tf32") == std::vector<contract::ComputeTime>{fast});
  CHECK(times_of(both, card, "fp32") == std::vector<contract::ComputeTime>{both[0]});
  CHECK(times_of({fast}, card, "fp32").empty());
}

TEST_CASE("times of several ranks are used per framework, times of one rank for all") {
  contract::ComputeTime alone = measured_passes(8, 1e-3), ddp = alone, other = alone;
  ddp.ranks_on_node = other.ranks_on_node = 2;
  ddp.framework = "ddp";
  other.framework = "synchronous";
  const std::vector<contract::ComputeTime> all{alone, ddp, other};
  CHECK(times_as_in(all, "ddp") == std::vector<contract::ComputeTime>{alone, ddp});
  CHECK(times_as_in(all, "synchronous") == std::vector<contract::ComputeTime>{alone, other});
  CHECK(times_as_in(all, "horovod") == all);
}

TEST_CASE("the fitted line goes through the median of the runs of a batch") {
  const auto card = test::made_card();
  std::vector<contract::ComputeTime> runs;
  for (const double slower : {0.7, 1.0, 1.3, 1.1, 0.9}) {
    for (const std::int64_t batch : {8, 32}) {
      contract::ComputeTime run = measured_passes(batch, 1e-3);
      run.forward_s *= slower;
      runs.push_back(run);
    }
  }
  const ComputeEstimate estimate = estimate_compute(card, 32, {kRates, 0, runs, {}});
  CHECK(estimate.times.forward().value == Approx(33e-3));
  CHECK(estimate.sure.high > 1.3);  // scatter of single runs
}

TEST_CASE("the optimizer time is that of the same number of ranks on a node") {
  std::vector<contract::ComputeTime> runs{measured_passes(8, 1e-3), measured_passes(8, 1e-3)};
  runs[1].ranks_on_node = 2;
  runs[1].optimizer_s = 8e-4;
  const auto optimizer = [&](int ranks) {
    ComputeBasis basis{kRates, 0, runs, {}};
    basis.ranks_on_node = ranks;
    return estimate_compute(test::made_card(), 8, basis).times.optimizer.value;
  };
  CHECK(optimizer(1) == Approx(5e-4));
  CHECK(optimizer(2) == Approx(8e-4));
}
