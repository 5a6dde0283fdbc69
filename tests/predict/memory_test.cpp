// SPDX-License-Identifier: Apache-2.0
#include "predict/memory.hpp"

#include <catch2/catch.hpp>

#include "tests/predict/made_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;
using Catch::Contains;

namespace {

const Device kCard{.name = "small", .memory = Bytes{2e9}, .context = Bytes{0.1e9}};

}  // namespace

TEST_CASE("peak memory is the parameters plus the largest sum of gradients and activations") {
  const auto card = test::made_card();
  const MemoryParts parts = peak_memory(card, 10, {.optimizer_states = 1}, Bytes{7e6});
  CHECK(parts.parameters.value == 301e6);
  CHECK(parts.optimizer.value == 300e6);
  CHECK(parts.buckets.value == 0);
  CHECK(parts.activations.value == 600e6);
  CHECK(parts.layer == 2);
  CHECK(parts.backward);
  CHECK(parts.gradients.value == 100e6);  // gradients of one layer, freed after each step
  CHECK(parts.total().value == Approx(301e6 + 300e6 + 100e6 + 600e6 + 7e6));
}

TEST_CASE("with few activations memory peaks when all gradients exist") {
  const MemoryParts parts = peak_memory(test::made_card(), 1, {});
  CHECK(parts.layer == 0);
  CHECK(parts.backward);
  CHECK(parts.gradients.value == 300e6);
  CHECK(parts.activations.value == 20e6);
}

TEST_CASE("accumulation keeps the gradients and the inputs of other passes") {
  const auto card = test::made_card();
  const MemoryParts parts = peak_memory(card, 10, {.passes = 3});
  CHECK(parts.gradients.value == 300e6);
  CHECK(parts.activations.value == 600e6 + 2 * 10 * 3 * 4 * 4 * 4);
  // The gradients become views of the buckets in the last pass.
  CHECK(peak_memory(card, 10, {.passes = 3, .buckets = true}).gradients.value == 300e6);
}

TEST_CASE("memory beyond the cost model is added and reduces the largest batch") {
  const auto card = test::made_card();
  const MemorySetting measured{.beyond = {Bytes{50e6}, 0.5}};
  const MemoryParts parts = peak_memory(card, 10, measured);
  CHECK(parts.beyond.value == 50e6 + 0.5 * 600e6);
  CHECK(parts.total().value == peak_memory(card, 10, {}).total().value + 350e6);
  CHECK(memory_verdict(card, 10, measured, kCard).largest_batch <
        memory_verdict(card, 10, {}, kCard).largest_batch);
}

TEST_CASE("buckets contain the gradients or are added to them") {
  const auto card = test::made_card();
  const auto parts = [&](const MemorySetting& setting) { return peak_memory(card, 1, setting); };
  const double alone = parts({}).total().value;
  CHECK(parts({.buckets = true}).gradients.value == 0);
  CHECK(parts({.buckets = true, .gradients_in_buckets = false}).total().value == alone + 300e6);
  // Buckets stay in memory between steps, but gradients do not.
  CHECK(peak_memory(card, 10, {.buckets = true}).total().value == 301e6 + 300e6 + 600e6);
  const MemoryParts fused = parts({.buckets = true,
                                   .gradients_in_buckets = false,
                                   .bucket_limit = Bytes{50e6},
                                   .compressed = 0.5});
  CHECK(fused.buckets.value == 50e6);
  CHECK(fused.gradients.value == 450e6);
}

TEST_CASE("a deepspeed bucket grows to the largest gradient, and overflow needs two buckets") {
  const auto card = test::made_card();
  const auto buckets = [&](double limit, bool beside, int passes = 1) {
    return peak_memory(card, 1,
                       {.zero_stage = 2,
                        .ranks = 4,
                        .passes = passes,
                        .buckets = true,
                        .gradients_in_buckets = false,
                        .bucket_limit = Bytes{limit},
                        .bucket_grows = true,
                        .fills_beside = beside})
        .buckets.value;
  };
  CHECK(buckets(2e9, false) == 300e6);
  CHECK(buckets(2e9, true) == 300e6);
  CHECK(buckets(2e9, true, 2) == 600e6);
  CHECK(buckets(250e6, false) == 250e6);
  CHECK(buckets(250e6, true) == 500e6);
  CHECK(buckets(10e6, false) == 200e6);
}

TEST_CASE("each stage of ZeRO divides more memory among the ranks") {
  const auto card = test::made_card();
  const auto parts = [&](int stage, MemorySetting setting = {}) {
    setting.optimizer_states = 2;
    setting.zero_stage = stage;
    setting.ranks = 4;
    return peak_memory(card, 1, setting);
  };
  CHECK(parts(0).optimizer.value == 600e6);
  CHECK(parts(0).gradients.value == 300e6);
  CHECK(parts(1).optimizer.value == 150e6);
  CHECK(parts(1).gradients.value == 300e6 + 75e6);  // all gradients plus the rank's quarter
  CHECK(parts(1, {.fills_beside = true}).gradients.value == 75e6);
  CHECK(parts(2).gradients.value == 75e6);
  CHECK(parts(2, {.passes = 2}).gradients.value == 75e6);
  CHECK(parts(2).parameters.value == 301e6);
}

TEST_CASE("stage 3 keeps its part, the current block and the prefetched parameters") {
  const auto card = test::made_card();
  const auto parameters = [&](double prefetch) {
    return peak_memory(card, 1, {.zero_stage = 3, .ranks = 4, .prefetch = Bytes{prefetch}})
        .parameters.value;
  };
  CHECK(parameters(0) == 75e6 + 200e6 + 1e6);
  CHECK(parameters(50e6) == 75e6 + 250e6 + 1e6);
  CHECK(parameters(1e9) == 75e6 + 300e6 + 1e6);
  const MemoryParts parts = peak_memory(card, 1, {.zero_stage = 3, .ranks = 4});
  CHECK(parts.gradients.value == 75e6 + 2 * 200e6);
}

TEST_CASE("in fp64 gradients, states and buckets are twice as large") {
  auto card = test::made_card();
  card.precision = "fp64";
  const MemoryParts parts =
      peak_memory(card, 1, {.optimizer_states = 1, .buckets = true, .gradients_in_buckets = false});
  CHECK(parts.gradients.value == 600e6);
  CHECK(parts.optimizer.value == 600e6);
  CHECK(parts.buckets.value == 600e6);
  CHECK(allocated_before(card, 0, 1, {.buckets = true}).value == 301e6 + 600e6);
}

TEST_CASE("memory allocated before a layer includes what earlier layers saved") {
  const auto card = test::made_card();
  CHECK(allocated_before(card, 0, 10, {}).value == 301e6);
  CHECK(allocated_before(card, 2, 10, {}).value == 301e6 + 300e6);
  CHECK(allocated_before(card, 2, 10, {.buckets = true}).value == 301e6 + 300e6 + 300e6);
}

TEST_CASE("the largest batch that fits is found, and one more does not fit") {
  const auto card = test::made_card();
  const MemoryVerdict verdict = memory_verdict(card, 10, {}, kCard);
  CHECK(verdict.fits);
  CHECK(verdict.margin == Approx(2e9 / (0.1e9 + 401e6 + 600e6) - 1));
  CHECK(memory_verdict(card, verdict.largest_batch, {}, kCard).fits);
  CHECK_FALSE(memory_verdict(card, verdict.largest_batch + 1, {}, kCard).fits);
  const Device tiny{.memory = Bytes{1e6}};
  CHECK(memory_verdict(card, 1, {}, tiny).largest_batch == 0);
}

TEST_CASE("a verdict names the part and the layer with the most memory") {
  const auto card = test::made_card();
  const DominatingLayer layer = dominating_layer(card, 10);
  CHECK(layer.name == "first");
  CHECK(layer.share == Approx(300.0 / 501));
  CHECK(layer.most == "first (conv2d)");
  const MemoryVerdict verdict = memory_verdict(card, 100, {}, kCard);
  CHECK_FALSE(verdict.fits);
  CHECK_THAT(verdict_text(verdict, card, 100),
             Contains("does not fit 1.86 GiB: needs 6.05 GiB, of which 5.59 GiB are activations") &&
                 Contains("60 % of them from first, the largest part from first (conv2d)") &&
                 Contains("the largest batch per GPU that fits is 22"));
}
