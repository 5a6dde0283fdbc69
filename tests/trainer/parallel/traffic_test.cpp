// SPDX-License-Identifier: Apache-2.0
// Tests of the amount of data that ranks send to each other in a step of each style.
#include <catch2/catch.hpp>
#include <cstdint>

#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;
using test::kStepSamples;
using test::ten_steps;

namespace {

// Numbers of parameters and outputs of the CNN's blocks, for images of 6 x 6 pixels and 5 classes.
constexpr std::int64_t kConv1 = 32 * 9 + 32, kConv2 = 64 * 32 * 9 + 64;
constexpr std::int64_t kHidden = 64 * 128 + 128, kOutput = 128 * 5 + 5;
constexpr std::int64_t kParameters = kConv1 + kConv2 + kHidden + kOutput;  // an odd number
constexpr std::int64_t kImage = 6 * 6, kAfterConv1 = 32 * 4 * 4, kAfterConv2 = 64;
constexpr std::int64_t kAfterHidden = 128, kScores = 5;

std::int64_t half(std::int64_t numbers) {
  return (numbers + 1) / 2;
}

/// Returns the number of values that a rank sends per step after the buckets are rebuilt, as a mean
/// over the ranks.
double numbers_of(const contract::RunSpec& spec) {
  const auto window = all<contract::StepWindow>(test::run(spec).records).at(1);
  return window.bytes_sent / window.steps / sizeof(double);
}

}  // namespace

TEST_CASE("replicas send each gradient once per step, regardless of accumulation") {
  for (const char* framework : {"synchronous", "ddp", "deepspeed"}) {
    INFO(framework);
    auto spec = ten_steps(framework, 2, 0);
    CHECK(numbers_of(spec) == kParameters);
    spec.clip_norm = 0.05;
    spec.batch_per_gpu = 4;
    spec.accumulation_steps = 3;
    CHECK(numbers_of(spec) == kParameters);
  }
}

TEST_CASE("ranks of ZeRO send gradients, gathered parameters and one number for clipping") {
  // In stage 3, the first and the last block stay on the ranks and are gathered once. The other
  // blocks are gathered twice.
  const double in_stage_3 = kConv1 + kConv2 + kHidden + 2 * half(kOutput) +
                            2 * (half(kConv2) + half(kHidden)) + half(kConv1) + half(kOutput);
  for (const double clip_norm : {0.0, 0.05}) {
    const double norm = clip_norm > 0 ? 1 : 0;
    const auto numbers_in = [&](int stage) {
      auto spec = ten_steps("deepspeed", 2, stage);
      spec.clip_norm = clip_norm;
      return numbers_of(spec);
    };
    CHECK(numbers_in(1) == kParameters + half(kParameters) + norm);
    CHECK(numbers_in(2) == kParameters + half(kParameters) + norm);
    CHECK(numbers_in(3) == in_stage_3 + norm);
  }
}

TEST_CASE("rank 0 of vanilla data parallelism sends the whole model to each rank in every step") {
  for (const int ranks : {2, 3, 4}) {
    INFO(ranks << " ranks");
    const std::int64_t samples = kStepSamples / ranks;
    const std::int64_t there = kParameters + samples * (kImage + kScores);
    const std::int64_t back = kParameters + samples * kScores;
    CHECK(numbers_of(ten_steps("vanilla_data_parallel", ranks)) ==
          Approx(static_cast<double>((ranks - 1) * (there + back)) / ranks));
  }
}

TEST_CASE("vanilla data parallelism sends the model for each accumulated batch") {
  auto spec = ten_steps("vanilla_data_parallel", 2);
  spec.batch_per_gpu /= 3;
  spec.accumulation_steps = 3;
  const std::int64_t samples = kStepSamples / 2;
  const std::int64_t expected = 3 * 2 * kParameters + samples * (kImage + 2 * kScores);
  CHECK(numbers_of(spec) == Approx(static_cast<double>(expected) / 2));
}

TEST_CASE("stages send only the outputs at their cuts and the gradients of these outputs") {
  const std::int64_t cuts[] = {0, 0, kAfterConv2, kAfterConv1 + kAfterConv2,
                               kAfterConv1 + kAfterConv2 + kAfterHidden};
  for (const char* framework : {"layerwise", "pipeline"}) {
    for (const int ranks : {2, 3, 4}) {
      INFO(framework << " on " << ranks);
      auto spec = ten_steps(framework, ranks);
      if (framework == std::string("pipeline")) spec.framework_options.micro_batches = 4;
      CHECK(numbers_of(spec) ==
            Approx(2.0 * kStepSamples * static_cast<double>(cuts[ranks]) / ranks));
    }
  }
}

TEST_CASE("stages are balanced by operations, parameters or number of blocks") {
  struct Case {
    const char *shape, *balance;
    int ranks;
    std::int64_t cuts;  // values per sample that cross the cuts
  };
  // For images of 3 x 7 x 7, the first convolution has more operations than both linear layers, and
  // the linear layers have more parameters than all other layers. For images of 3 x 12 x 12, the
  // hidden layer alone has more parameters than all other layers.
  constexpr std::int64_t kConv1Of7 = 32 * 5 * 5, kConv1Of12 = 32 * 10 * 10;
  constexpr std::int64_t kConv2Of12 = 64 * 4 * 4;
  for (const Case& one : {Case{"3x7x7", "cost", 2, kConv1Of7},
                          {"3x7x7", "blocks", 2, kAfterConv2},
                          {"3x7x7", "parameters", 2, kAfterConv2},
                          {"3x12x12", "cost", 3, kConv1Of12 + kConv2Of12},
                          {"3x12x12", "blocks", 3, kConv1Of12 + kConv2Of12},
                          {"3x12x12", "parameters", 3, kConv2Of12 + kAfterHidden}}) {
    INFO(one.shape << " by " << one.balance);
    auto spec = ten_steps("pipeline", one.ranks);
    spec.dataset.shape = one.shape;
    spec.framework_options.balance = one.balance;
    CHECK(numbers_of(spec) ==
          Approx(2.0 * kStepSamples * static_cast<double>(one.cuts) / one.ranks));
  }
}

TEST_CASE("replicas of stages send gradients only to ranks with the same stage") {
  auto spec = ten_steps("hybrid", 4);
  spec.framework_options.micro_batches = 2;
  // Two replicas send values over their cuts in both directions.
  const double at_cuts = 2 * 2 * (kStepSamples / 2) * kAfterConv2;
  CHECK(numbers_of(spec) == Approx((at_cuts + 2.0 * kParameters) / 4));
}
