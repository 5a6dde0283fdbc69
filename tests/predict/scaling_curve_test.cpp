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

const CurveSetting kWeak{.batch_per_gpu = 10, .samples = 10'000, .epochs = 3};

}  // namespace

TEST_CASE("efficiency is 1 at the first count and falls with exposed communication") {
  const auto curve = scaling_curve(model(), kWeak, doubled_counts(1, 1024));
  REQUIRE(curve.size() == 11);
  CHECK(curve.front().efficiency.value == 1);
  CHECK(curve.back().ranks.nodes == 256);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    CHECK(curve[i].efficiency.value <= curve[i - 1].efficiency.value + 1e-12);
    CHECK(curve[i].efficiency.value > 0);
  }
}

TEST_CASE("an epoch takes the time of its steps, and GPU-hours cover all epochs") {
  const auto curve = scaling_curve(model(), kWeak, {1, 4});
  CHECK(curve[1].epoch_s.value == Approx(250 * curve[1].step.total().value));
  CHECK(curve[1].gpu_hours == Approx(curve[1].epoch_s.value * 3 * 4 / 3600));
  CHECK(curve[1].samples_per_s == Approx(40 / curve[1].step.total().value));
}

TEST_CASE("remaining samples are one more step or are dropped") {
  const auto steps = [](std::int64_t samples, bool drops) {
    CurveSetting setting = kWeak;
    setting.samples = samples;
    setting.drops_last = drops;
    const CurvePoint point = scaling_curve(model(), setting, {4}).front();
    return point.epoch_s.value / point.step_s.value;
  };
  CHECK(steps(10'000, false) == Approx(250));
  CHECK(steps(10'000, true) == Approx(250));
  CHECK(steps(10'039, false) == Approx(251));
  CHECK(steps(10'039, true) == Approx(250));
  CHECK(steps(39, true) == Approx(1));  // at least one step per epoch
}

TEST_CASE("strong scaling divides the batch and ends at one sample per GPU") {
  CurveSetting strong = kWeak;
  strong.strong = true;
  const auto curve = scaling_curve(model(), strong, {1, 2, 8, 16});
  REQUIRE(curve.size() == 3);
  CHECK(curve[2].batch_per_gpu == Approx(1.25));
}

TEST_CASE("the band of the throughput follows from the band of the step") {
  const CurvePoint point = scaling_curve(model({0.5, 2}), kWeak, {64}).front();
  REQUIRE(point.step_s.low < point.step_s.high);
  const Band samples = throughput(point);
  CHECK(samples.value == point.samples_per_s);
  CHECK(samples.low * point.step_s.high == Approx(640));
  CHECK(samples.high * point.step_s.low == Approx(640));
}

TEST_CASE("bands contain the value and have no width without uncertainty") {
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

TEST_CASE("batches come from the study, or from the next smaller GPU count") {
  const std::map<int, Share> shares{{2, {32, 4}}, {8, {32, 1}}, {16, {16, 1}}};
  const auto at = [&](bool strong, int gpus) { return share_at(shares, strong, gpus); };
  CHECK(at(true, 8).batch == 32);
  CHECK(at(true, 4).batch == 16);
  CHECK(at(true, 4).passes == 4);
  CHECK(at(true, 64).batch == 4);
  CHECK(at(true, 64).passes == 1);
  CHECK(at(true, 1).batch == 64);
  CHECK(at(false, 64).batch == 16);
  CHECK(at(false, 1).batch == 32);
}

TEST_CASE("an uneven batch takes the time of its largest part, and every sample counts once") {
  CurveSetting uneven{.strong = true, .samples = 1280};
  uneven.shares = {{2, {64, 1}}, {3, {43, 1, 128}}};
  CurveSetting full = uneven;
  full.shares = {{2, {64, 1}}, {3, {43, 1}}};
  const CurvePoint point = scaling_curve(model(), uneven, {2, 3})[1];
  const CurvePoint larger = scaling_curve(model(), full, {2, 3})[1];
  CHECK(point.batch_per_gpu == 43);
  CHECK(point.step_s.value == larger.step_s.value);
  CHECK(point.samples_per_s == Approx(128 / point.step_s.value));
  CHECK(point.epoch_s.value == Approx(10 * point.step_s.value));
  CHECK(point.efficiency.value == Approx(larger.efficiency.value * 128 / 129));
  CHECK(share_at(uneven.shares, true, 6).batch == Approx(128.0 / 6));
}

TEST_CASE("accumulated batches take time, and efficiency counts samples") {
  CurveSetting setting = kWeak;
  setting.shares = {{1, {10, 4}}, {4, {10, 1}}};
  setting.strong = true;
  const auto curve = scaling_curve(model(), setting, {1, 4, 8});
  REQUIRE(curve.size() == 3);
  const StepTime one = step_at(model(), {1, 1}, 10);
  CHECK(curve[0].step.forward.value == Approx(4 * one.forward.value));
  CHECK(curve[1].step.forward.value == Approx(one.forward.value));
  CHECK(curve[2].batch_per_gpu == 5);
  for (const CurvePoint& point : curve) {  // 40 samples per step
    CHECK(point.samples_per_s == Approx(40 / point.step.total().value));
    CHECK(point.epoch_s.value == Approx(250 * point.step.total().value));
    CHECK(point.efficiency.value ==
          Approx(point.samples_per_s / point.ranks.gpus / curve[0].samples_per_s));
  }
}

TEST_CASE("the knee lies between the knees of the band edges") {
  TrainingModel unsure = model({0.5, 2});
  const auto curve = scaling_curve(unsure, kWeak, doubled_counts(1, 1024));
  const int least = knee(curve, 0.5, &Band::low), most = knee(curve, 0.5, &Band::high);
  CHECK(least <= knee(curve, 0.5));
  CHECK(knee(curve, 0.5) <= most);
  CHECK(least < most);
}

TEST_CASE("the knee is the last count with the required efficiency") {
  const auto curve = scaling_curve(model(), kWeak, doubled_counts(4, 1024));
  const int found = knee(curve, 0.8);
  for (const CurvePoint& point : curve) {
    if (point.ranks.gpus <= found) CHECK(point.efficiency.value >= 0.8);
    if (point.ranks.gpus == 2 * found) CHECK(point.efficiency.value < 0.8);
  }
  CHECK(knee({}, 0.8) == 0);
  CHECK(knee(curve, 0) == 1024);
}

TEST_CASE("GPU counts double up to the last count") {
  CHECK(doubled_counts(4, 100) == std::vector<int>{4, 8, 16, 32, 64, 100});
  CHECK(doubled_counts(8, 8) == std::vector<int>{8});
  CHECK(doubled_counts(8, 4) == std::vector<int>{8});
}

TEST_CASE("the wait for the slowest rank follows from the deviation of steps") {
  TrainingModel apart = model();
  apart.computing.measured = {
      {.model = "made", .batch = 10, .forward_s = 0.4, .backward_s = 0.6, .deviation_s = 0.1}};
  const auto curve = scaling_curve(apart, kWeak, {1, 2, 1024});
  CHECK(curve[0].step.slowest_wait.value == 0);
  CHECK(curve[1].step.slowest_wait.value == Approx(0.05642).epsilon(1e-3));
  CHECK(curve[2].step.slowest_wait.value > 5 * curve[1].step.slowest_wait.value);
  CHECK(curve[2].step_s.high - curve[2].step_s.value >= 2 * curve[2].step.slowest_wait.value);
  CHECK(curve[2].step_s.value - curve[2].step_s.low >= curve[2].step.slowest_wait.value);
  CHECK(curve[2].efficiency.value < curve[1].efficiency.value);
  apart.setting.passes = 4;  // passes whose deviations average out
  CHECK(step_at(apart, {1, 2}, 10).slowest_wait.value == Approx(2 * 0.05642).epsilon(1e-3));
}

TEST_CASE("a central device needs the links of pairs of ranks") {
  const auto pairs = [](Agreement agreement, bool forward_only, Placement ranks) {
    std::vector<std::pair<int, int>> found;
    const StepSetting setting{.agreement = agreement, .forward_only = forward_only};
    for (const Placement& needed : exchange_placements(setting, ranks)) {
      found.emplace_back(needed.nodes, needed.gpus);
    }
    return found;
  };
  using Pairs = std::vector<std::pair<int, int>>;
  CHECK(pairs(Agreement::central, false, {1, 4}) == Pairs{{1, 2}});
  CHECK(pairs(Agreement::central, true, {2, 8}) == Pairs{{1, 2}, {2, 2}});
  CHECK(pairs(Agreement::central, false, {4, 4}) == Pairs{{2, 2}});
  CHECK(pairs(Agreement::buckets, false, {2, 8}) == Pairs{{2, 8}});
  CHECK(pairs(Agreement::buckets, true, {2, 8}).empty());
  CHECK(pairs(Agreement::central, false, {1, 1}).empty());
}

TEST_CASE("the communication of a central device grows with the number of ranks") {
  TrainingModel central = model();
  central.setting.agreement = Agreement::central;
  const double two = step_at(central, {1, 2}, 10).communication.value;
  CHECK(step_at(central, {1, 4}, 10).communication.value == Approx(3 * two));
  // Ranks on another node use the slower link.
  CHECK(step_at(central, {2, 8}, 10).communication.value > 7 * two);
}
