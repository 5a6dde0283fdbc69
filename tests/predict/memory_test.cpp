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

TEST_CASE("memory is what is kept for parameters, and activations where they are most") {
  const auto card = test::made_card();
  const MemoryParts parts =
      peak_memory(card, 10, {.optimizer_states = 1, .workspace = Bytes{5e6}}, Bytes{7e6});
  CHECK(parts.parameters.value == 301e6);
  CHECK(parts.gradients.value == 300e6);
  CHECK(parts.optimizer.value == 300e6);
  CHECK(parts.buckets.value == 0);
  CHECK(parts.activations.value == 600e6);
  CHECK(parts.layer == 2);
  CHECK(parts.backward);
  CHECK(parts.total().value == Approx(301e6 + 300e6 + 300e6 + 600e6 + 5e6 + 7e6));
}

TEST_CASE("buckets hold the gradients, or come on top of them") {
  const auto card = test::made_card();
  const auto total = [&](const MemorySetting& setting) {
    return peak_memory(card, 1, setting).total().value;
  };
  const double alone = total({});
  CHECK(total({.buckets = true}) == alone);
  CHECK(total({.buckets = true, .gradients_in_buckets = false}) == alone + 300e6);
}

TEST_CASE("each stage of ZeRO divides more among the ranks") {
  const auto card = test::made_card();
  const auto parts = [&](int stage) {
    return peak_memory(card, 1, {.optimizer_states = 2, .zero_stage = stage, .ranks = 4});
  };
  CHECK(parts(0).optimizer.value == 600e6);
  CHECK(parts(1).optimizer.value == 150e6);
  CHECK(parts(1).gradients.value == 300e6);
  CHECK(parts(2).gradients.value == 75e6);
  CHECK(parts(2).parameters.value == 301e6);
  CHECK(parts(3).parameters.value == 76e6);
}

TEST_CASE("before a layer of the first pass the allocator has given what the one before left") {
  const auto card = test::made_card();
  CHECK(allocated_before(card, 0, 10, {}).value == 301e6);
  CHECK(allocated_before(card, 2, 10, {}).value == 301e6 + 300e6);
  CHECK(allocated_before(card, 2, 10, {.buckets = true}).value == 301e6 + 300e6 + 300e6);
}

TEST_CASE("the largest batch that fits is found, and one more does not fit") {
  const auto card = test::made_card();
  const MemoryVerdict verdict = memory_verdict(card, 10, {}, kCard);
  CHECK(verdict.fits);
  CHECK(verdict.margin == Approx(2e9 / (0.1e9 + 601e6 + 600e6) - 1));
  CHECK(memory_verdict(card, verdict.largest_batch, {}, kCard).fits);
  CHECK_FALSE(memory_verdict(card, verdict.largest_batch + 1, {}, kCard).fits);
  const Device tiny{.memory = Bytes{1e6}};
  CHECK(memory_verdict(card, 1, {}, tiny).largest_batch == 0);
}

TEST_CASE("a verdict names the part and the layer that keep most") {
  const auto card = test::made_card();
  const DominatingLayer layer = dominating_layer(card, 10);
  CHECK(layer.name == "first");
  CHECK(layer.share == Approx(300.0 / 501));
  CHECK(layer.most == "first (conv2d)");
  const MemoryVerdict verdict = memory_verdict(card, 100, {}, kCard);
  CHECK_FALSE(verdict.fits);
  CHECK_THAT(verdict_text(verdict, card, 100),
             Contains("does not fit 1.86 GiB: needs 6.24 GiB, of which 5.59 GiB are activations") &&
                 Contains("60 % of them of first, most of first (conv2d)") &&
                 Contains("the largest batch of a GPU that fits is 1"));
}
