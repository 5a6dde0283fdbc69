// SPDX-License-Identifier: Apache-2.0
#include "predict/step_time.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

const Rates kStepRates{teraflops(10), gigabytes_per_s(1000)};

/// Returns the time of a message on a link that needs one second for 1 GB.
Seconds slow_link(Bytes message) {
  return {message.value * 1e-9};
}

StepTime step(Agreement agreement, int ranks, StepSetting setting = {}) {
  const auto card = test::made_card();
  setting.agreement = agreement;
  return step_time(card, roofline(card, kStepRates, 10, 0), ranks, slow_link, setting);
}

/// Checks that the first bucket has the gradients of the last layer, and that the second bucket has
/// all other gradients.
void check_last_layer_first(const std::vector<Bucket>& buckets, const ComputeTimes& times) {
  REQUIRE(buckets.size() == 2);
  CHECK(buckets[0].size.value == 100e6);
  CHECK(buckets[0].ready == times.layers[2].backward.time);
  CHECK(buckets[1].size.value == 200e6);
  CHECK(buckets[1].ready == times.backward());
}

}  // namespace

TEST_CASE("buckets are filled from the last layer and are ready with their last gradient") {
  const auto card = test::made_card();
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  check_last_layer_first(gradient_buckets(card, times), times);
  const auto whole = gradient_buckets(card, times, Bytes{1e9}, Bytes{1e9});
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].size.value == 300e6);
}

TEST_CASE("the gradients of a block are one bucket that is ready with the last gradient") {
  auto card = test::made_card();
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  check_last_layer_first(block_buckets(card, times), times);
  card.layers[0].block = card.layers[2].block;
  const auto one = block_buckets(card, times);
  REQUIRE(one.size() == 1);
  CHECK(one[0].size.value == 300e6);
  CHECK(one[0].ready == times.backward());
}

TEST_CASE("gradients have twice the bytes in fp64 and all bytes of fp32 under autocast") {
  auto card = test::made_card();
  card.precision = "bf16";
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  CHECK(gradient_buckets(card, times)[0].size.value == 100e6);
  card.precision = "fp64";
  CHECK(gradient_buckets(card, times)[0].size.value == 200e6);
  CHECK(block_buckets(card, times)[0].size.value == 200e6);
  for (const Agreement agreement : {Agreement::at_once, Agreement::each_gradient}) {
    const StepTime taken = step_time(card, times, 4, slow_link, {.agreement = agreement});
    CHECK(taken.exposed_comm.value == Approx(0.6));
  }
}

TEST_CASE("a reduction begins when its bucket is ready and the previous one is done") {
  const std::vector<Bucket> buckets{{Bytes{1}, {1}}, {Bytes{1}, {2}}, {Bytes{1}, {10}}};
  // The reductions run from 1 s to 4 s, from 4 s to 7 s and from 10 s to 13 s.
  const Overlap long_ones = overlap(buckets, {10}, [](Bytes) { return Seconds{3}; });
  CHECK(long_ones.total.value == 9);
  CHECK(long_ones.exposed.value == 3);
  CHECK(long_ones.hidden() == Approx(2.0 / 3));
  // The reductions run from 1 s to 6 s, from 6 s to 11 s and from 11 s to 16 s. The last reduction
  // waits for the second.
  CHECK(overlap(buckets, {10}, [](Bytes) { return Seconds{5}; }).exposed.value == 6);
  CHECK(overlap(buckets, {20}, [](Bytes) { return Seconds{5}; }).exposed.value == 0);
  CHECK(overlap({}, {10}, slow_link).hidden() == 1);
}

TEST_CASE("overlap reduces exposed communication, and one rank has none") {
  const StepTime once = step(Agreement::at_once, 4), buckets = step(Agreement::buckets, 4);
  CHECK(once.exposed_comm.value == Approx(0.3));
  CHECK(once.communication == once.exposed_comm);
  CHECK(buckets.communication.value == Approx(0.3));
  CHECK(buckets.exposed_comm < once.exposed_comm);
  CHECK(step(Agreement::buckets, 1).exposed_comm.value == 0);
  CHECK(step(Agreement::buckets, 1).total().value == Approx(23.4e-3 + 0.9e-3));
}

TEST_CASE("separately exchanged gradients cost one latency each") {
  const auto card = test::made_card();
  const AllReduceCost latency = [](Bytes) { return Seconds{1e-3}; };
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  const StepTime each = step_time(card, times, 4, latency, {.agreement = Agreement::each_gradient});
  CHECK(each.exposed_comm.value == Approx(3e-3));
}

TEST_CASE("compression reduces bytes and not latency") {
  const auto card = test::made_card();
  const AllReduceCost cost = [](Bytes message) { return slow_link(message) + Seconds{1e-3}; };
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  const StepSetting setting{.agreement = Agreement::at_once, .compression = 0.5};
  CHECK(step_time(card, times, 4, cost, setting).exposed_comm.value == Approx(0.15 + 2e-3));
}

TEST_CASE("gathering after the step and waiting for the cycle are never hidden") {
  const StepTime none = step(Agreement::buckets, 4);
  const StepTime gathered = step(Agreement::buckets, 4, {.after_step = 0.5});
  CHECK(gathered.exposed_comm.value == Approx(none.exposed_comm.value + 0.15));
  CHECK(gathered.communication.value == Approx(none.communication.value + 0.15));
  const StepTime waiting = step(Agreement::buckets, 4, {.cycle = {0.5e-3}});
  CHECK(waiting.exposed_comm.value == Approx(none.exposed_comm.value + 0.5e-3));
  CHECK(waiting.communication == none.communication);
  CHECK(step(Agreement::buckets, 1, {.after_step = 0.5}).exposed_comm.value == 0);
}

TEST_CASE("gradients of several passes are exchanged once, or in every pass") {
  CHECK(step(Agreement::at_once, 4, {.passes = 4}).exposed_comm.value == Approx(0.3));
  const StepSetting every{.after_step = 0.5, .every_pass = true, .passes = 4};
  CHECK(step(Agreement::at_once, 4, every).exposed_comm.value == Approx(4 * 0.3 + 0.15));
  CHECK(step(Agreement::buckets, 4, every).exposed_comm.value ==
        Approx(4 * step(Agreement::buckets, 4).exposed_comm.value + 0.15));
}

TEST_CASE("each bucket exchanged after the backward pass costs one latency") {
  const auto card = test::made_card();
  const AllReduceCost latency = [](Bytes) { return Seconds{1e-3}; };
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  const auto exposed_s = [&](Bytes bucket) {
    const StepSetting setting{
        .agreement = Agreement::at_once, .first_bucket = bucket, .bucket = bucket};
    return step_time(card, times, 4, latency, setting).exposed_comm.value;
  };
  CHECK(exposed_s(Bytes{1e9}) == Approx(1e-3));
  CHECK(exposed_s(Bytes{1e6}) == Approx(2e-3));
}

TEST_CASE("the bound is communication if it takes longer than computing") {
  CHECK(step(Agreement::at_once, 4).bound == Bound::communication);
  const auto card = test::made_card();
  const ComputeTimes computing = roofline(card, {teraflops(1), kStepRates.memory_bandwidth}, 10, 0);
  CHECK(step_time(card, computing, 1, slow_link, {}).bound == Bound::compute);
  const ComputeTimes moving = roofline(card, {teraflops(1e6), gigabytes_per_s(1000)}, 10, 0);
  CHECK(step_time(card, moving, 1, slow_link, {}).bound == Bound::memory);
}

TEST_CASE("the parts of a step add up with accumulation and waiting for data") {
  const StepTime one = step(Agreement::at_once, 4);
  const StepTime more = step(Agreement::at_once, 4, {.volume = 1.5, .passes = 2, .wait = {0.5}});
  CHECK(more.forward.value == Approx(2 * one.forward.value));
  CHECK(more.exposed_comm.value == Approx(1.5 * one.exposed_comm.value));
  CHECK(more.load_wait.value == 0.5);
  CHECK((more.total() - more.load_wait).value ==
        Approx((more.forward + more.backward + more.exposed_comm + more.optimizer).value));
}

TEST_CASE("waiting for the slowest rank is part of the step only with several ranks") {
  const StepTime plain = step(Agreement::at_once, 2);
  const StepTime waits = step(Agreement::at_once, 2, {.slowest_wait = {0.25}});
  CHECK(waits.slowest_wait.value == 0.25);
  CHECK(waits.total().value == Approx(plain.total().value + 0.25));
  CHECK(waits.exposed_comm == plain.exposed_comm);
  CHECK(step(Agreement::at_once, 1, {.slowest_wait = {0.25}}).slowest_wait.value == 0);
}

TEST_CASE("a central device sends parameters and samples and collects outputs and gradients") {
  StepSetting setting{.batch = 10};
  const StepTime whole = step(Agreement::central, 4, setting);
  // To each of three devices: 300 MB of parameters, 1 MB of buffers, 10 samples of 48 numbers and
  // gradients of 10 x 2 outputs. From each of them: the outputs and 300 MB of gradients.
  const double bytes = 300e6 + 1e6 + 4 * (10 * 48 + 10 * 2) + 4 * 10 * 2 + 300e6;
  CHECK(whole.communication.value == Approx(3 * bytes * 1e-9));
  CHECK(whole.exposed_comm == whole.communication);
  CHECK(step(Agreement::central, 1, setting).communication.value == 0);
  setting.passes = 2;
  CHECK(step(Agreement::central, 4, setting).communication.value == Approx(6 * bytes * 1e-9));
}

TEST_CASE("messages that a central device sends in parallel share one latency") {
  const auto card = test::made_card();
  const ComputeTimes times = roofline(card, kStepRates, 10, 0);
  const auto with_latency = [](Bytes message) { return Seconds{1 + message.value * 1e-9}; };
  const auto communication = [&](bool in_parallel) {
    return step_time(card, times, 4, with_latency,
                     {.agreement = Agreement::central, .sends_in_parallel = in_parallel})
        .communication.value;
  };
  // Six messages go to three devices: three parameter tensors, buffers, samples and gradients of
  // outputs. Four messages come from each of them.
  CHECK(communication(false) - communication(true) == Approx(6 * 3 - 6));
}

TEST_CASE("a step of inference is the forward pass without an exchange between replicas") {
  const StepSetting setting{.forward_only = true, .batch = 10};
  const StepTime replicas = step(Agreement::buckets, 4, setting);
  CHECK(replicas.total() == replicas.forward);
  CHECK(replicas.forward.value > 0);
  const StepTime central = step(Agreement::central, 4, setting);
  CHECK(central.backward.value + central.optimizer.value == 0);
  // Inference sends no gradients.
  CHECK(central.communication.value == Approx(3 * (300e6 + 1e6 + 4 * (10 * 48 + 10 * 2)) * 1e-9));
}

TEST_CASE("activations do not count as main kernels, and main kernels add nothing to the step") {
  const StepTime alone = step(Agreement::at_once, 1);
  // The activation moves 1 GB forward and 2 GB backward with 1000 GB/s.
  CHECK((alone.forward + alone.backward).value - alone.main_kernels.value == Approx(0.003));
  CHECK(alone.total().value == Approx((alone.forward + alone.backward + alone.optimizer).value));
}
