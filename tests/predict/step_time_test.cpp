// SPDX-License-Identifier: Apache-2.0
#include "predict/step_time.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

const Rates kStepRates{teraflops(10), gigabytes_per_s(1000)};

/// A second for a GB.
Seconds slow_link(Bytes message) {
  return {message.value * 1e-9};
}

StepTime step(Agreement agreement, int ranks, StepSetting setting = {}) {
  const auto card = test::made_card();
  setting.agreement = agreement;
  return step_time(card, roofline(card, kStepRates, 10, 0), ranks, slow_link, setting);
}

}  // namespace

TEST_CASE("buckets are filled from the last layer on and are ready with their last gradient") {
  const auto card = test::made_card();
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  const auto each = gradient_buckets(card, times);
  REQUIRE(each.size() == 2);
  CHECK(each[0].size.value == 100e6);
  CHECK(each[0].ready == times.layers[2].backward.time);
  CHECK(each[1].size.value == 200e6);
  CHECK(each[1].ready == times.backward());
  const auto whole = gradient_buckets(card, times, Bytes{1e9}, Bytes{1e9});
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].size.value == 300e6);
}

TEST_CASE("a reduction begins when its bucket is ready and the one before is done") {
  const std::vector<Bucket> buckets{{Bytes{1}, {1}}, {Bytes{1}, {2}}, {Bytes{1}, {10}}};
  // 1..4, 4..7, 10..13
  const Overlap long_ones = overlap(buckets, {10}, [](Bytes) { return Seconds{3}; });
  CHECK(long_ones.total.value == 9);
  CHECK(long_ones.exposed.value == 3);
  CHECK(long_ones.hidden() == Approx(2.0 / 3));
  // 1..6, 6..11, 11..16: the last waits for the second
  CHECK(overlap(buckets, {10}, [](Bytes) { return Seconds{5}; }).exposed.value == 6);
  CHECK(overlap(buckets, {20}, [](Bytes) { return Seconds{5}; }).exposed.value == 0);
  CHECK(overlap({}, {10}, slow_link).hidden() == 1);
}

TEST_CASE("without overlap all communication is exposed, with it less, and none on one rank") {
  const StepTime once = step(Agreement::at_once, 4), buckets = step(Agreement::buckets, 4);
  CHECK(once.exposed_comm.value == Approx(0.3));
  CHECK(once.communication == once.exposed_comm);
  CHECK(buckets.communication.value == Approx(0.3));
  CHECK(buckets.exposed_comm < once.exposed_comm);
  CHECK(step(Agreement::buckets, 1).exposed_comm.value == 0);
  CHECK(step(Agreement::buckets, 1).total().value == Approx(23.4e-3 + 0.9e-3));
}

TEST_CASE("each gradient by itself costs a latency each") {
  const auto card = test::made_card();
  const AllReduceCost latency = [](Bytes) { return Seconds{1e-3}; };
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  const StepTime each = step_time(card, times, 4, latency, {.agreement = Agreement::each_gradient});
  CHECK(each.exposed_comm.value == Approx(3e-3));
}

TEST_CASE("the bound is communication where it is longer than computing") {
  CHECK(step(Agreement::at_once, 4).bound == Bound::communication);
  const auto card = test::made_card();
  const ComputeTimes computing = roofline(card, {teraflops(1), kStepRates.memory_bandwidth}, 10, 0);
  CHECK(step_time(card, computing, 1, slow_link, {}).bound == Bound::compute);
  const ComputeTimes moving = roofline(card, {teraflops(1e6), gigabytes_per_s(1000)}, 10, 0);
  CHECK(step_time(card, moving, 1, slow_link, {}).bound == Bound::memory);
}

TEST_CASE("parts add up, with accumulation, loading and stragglers") {
  const StepTime one = step(Agreement::at_once, 4);
  const StepTime more =
      step(Agreement::at_once, 4, {.volume = 1.5, .passes = 2, .rank_deviation = {1e-3}});
  CHECK(more.forward.value == Approx(2 * one.forward.value));
  CHECK(more.exposed_comm.value == Approx(1.5 * one.exposed_comm.value));
  CHECK(more.straggling.value == Approx(1e-3 * std::sqrt(2 * std::log(4))));
  CHECK(step(Agreement::at_once, 1, {.rank_deviation = {1e-3}}).straggling.value == 0);
  const StepTime starved = step(Agreement::at_once, 4, {.load = {2}});
  CHECK(starved.total().value == Approx(2));
  CHECK(starved.load_wait.value == Approx(2 - one.total().value));
}
