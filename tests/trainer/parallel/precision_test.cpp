// SPDX-License-Identifier: Apache-2.0
// Tests of batch norms, their buffers and 16-bit arithmetic in every framework style.
#include <ATen/autocast_mode.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "contract/run_spec/process_count.hpp"
#include "tests/trainer/parallel/small_run.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/device/autocast.hpp"
#include "trainer/optim/loss.hpp"

using namespace dlscale;
using test::largest_difference;
using test::SmallRun;
using test::style_spec;
using test::title_of;

namespace {

contract::RunSpec with_precision(contract::RunSpec spec, const std::string& precision) {
  spec.precision = precision;
  return spec;
}

bool has_one_replica(const contract::RunSpec& spec) {
  return spec.framework == "layerwise" || spec.framework == "pipeline";
}

}  // namespace

TEST_CASE("with synchronised batch norms every style trains like one rank") {
  const auto alone = test::run({style_spec("synchronous", 1)});
  for (int ranks = 2; ranks <= 4; ++ranks) {
    for (auto spec : test::style_specs(ranks)) {
      if (spec.framework == "data_parallel") continue;
      INFO(title_of(spec));
      spec.batch_norm = "synchronised";
      CHECK(largest_difference(test::run({spec}), alone) < 1e-10);
    }
  }
}

TEST_CASE("with local batch norms only styles with one replica train like one rank") {
  const auto alone = test::run({style_spec("synchronous", 1)});
  for (const auto& spec : test::style_specs(2)) {
    INFO(title_of(spec));
    const double difference = largest_difference(test::run({spec}), alone);
    const bool is_whole = has_one_replica(spec) || spec.framework_options.model_parallel_size == 2;
    CHECK((difference < 1e-10) == is_whole);
  }
}

TEST_CASE("batch norms of replicas of stages use the ranks of their own stage") {
  auto spec = style_spec("hybrid", 4);
  spec.batch_norm = "synchronised";
  spec.framework_options.micro_batches = 1;
  const auto alone = test::run({style_spec("synchronous", 1)});
  CHECK(largest_difference(test::run({spec}), alone) < 1e-10);
  spec.batch_norm = "";
  CHECK(largest_difference(test::run({spec}), alone) > 1e-6);
}

TEST_CASE("every rank predicts with rank 0's running statistics") {
  for (const auto& spec : test::style_specs(4)) {
    INFO(title_of(spec));
    const auto result = test::run({spec});
    REQUIRE(!result.predictions.empty());
    for (const at::Tensor& scores : result.predictions) {
      CHECK(torch::allclose(scores, result.predictions[0], 1e-12, 1e-12));
    }
  }
}

namespace {

/// Runs 4 steps. In the last step, all ranks get the same samples.
test::SmallResult run_to_one_batch(const contract::RunSpec& spec) {
  SmallRun run{.spec = spec};
  run.disturb = [](int, int step, trainer::Batch& batch) {
    if (step < 3) return;
    const auto number = at::linspace(-1, 1, batch.input.numel(), batch.input.options());
    batch.input.copy_(number.view_as(batch.input));
    batch.target = at::arange(batch.target.numel()) % 5;
  };
  return test::run(run);
}

bool have_equal_buffers(const test::SmallResult& result, int rank, int other) {
  const auto& mine = result.buffers.at(rank);
  const auto& theirs = result.buffers.at(other);
  REQUIRE(!mine.empty());
  REQUIRE(mine.size() == theirs.size());
  return std::equal(mine.begin(), mine.end(), theirs.begin(),
                    [](const at::Tensor& a, const at::Tensor& b) { return torch::equal(a, b); });
}

}  // namespace

TEST_CASE(
    "ranks keep their own running statistics, except for ddp, which uses rank 0's in each step") {
  for (auto spec : test::style_specs(2)) {
    if (test::cuts_models(spec.framework) || spec.gpus != contract::process_count(spec)) continue;
    if (spec.framework == "vanilla_data_parallel") continue;
    INFO(title_of(spec));
    CHECK(have_equal_buffers(run_to_one_batch(spec), 0, 1) == (spec.framework == "ddp"));
  }
  auto spec = style_spec("ddp", 2);
  spec.framework_options.broadcast_buffers = false;
  CHECK(!have_equal_buffers(run_to_one_batch(spec), 0, 1));
}

TEST_CASE("a step in which ddp's reducer reduces nothing is an error") {
  SmallRun run{style_spec("ddp", 2)};
  run.spec.framework_options.static_graph = true;
  run.spec.accumulation_steps = 2;  // run descriptions must not combine this with static_graph
  CHECK_THROWS_WITH(test::run(run), Catch::Contains("the reducer has reduced nothing"));
}

TEST_CASE("data parallelism keeps the running statistics of the first device") {
  SmallRun alone{style_spec("synchronous", 1), 1};
  alone.disturb = [](int, int, trainer::Batch& batch) {
    batch.input = batch.input.chunk(2)[0];
    batch.target = batch.target.chunk(2)[0];
  };
  const auto expected = test::run(alone).buffers.at(0);
  for (const char* framework : {"data_parallel", "vanilla_data_parallel"}) {
    INFO(framework);
    const auto found = test::run({style_spec(framework, 2), 1}).buffers.at(0);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].to(at::kDouble).sub(expected[i]).abs().max().item<double>() < 1e-12);
    }
  }
}

TEST_CASE("replicas of stages start steps with the first replica's running statistics") {
  const auto found = run_to_one_batch(style_spec("hybrid", 4));
  CHECK(have_equal_buffers(found, 0, 2));
  CHECK(have_equal_buffers(found, 1, 3));
}

TEST_CASE("a stage normalises each micro-batch separately, like one rank that accumulates") {
  for (const int micro_batches : {2, 4}) {
    auto alone = style_spec("synchronous", 1);
    alone.accumulation_steps = micro_batches;
    const auto expected = test::run({alone});
    CHECK(largest_difference(expected, test::run({style_spec("synchronous", 1)})) > 1e-6);
    for (const char* schedule : {"1f1b", "gpipe"}) {
      for (const int ranks : {2, 4}) {
        auto spec = style_spec("pipeline", ranks);
        spec.framework_options.micro_batches = micro_batches;
        spec.framework_options.pipeline_schedule = schedule;
        INFO(title_of(spec));
        CHECK(largest_difference(test::run({spec}), expected) < 1e-10);
      }
    }
  }
}

TEST_CASE("ddp broadcasts all buffers in one message before each step, unless disabled") {
  constexpr std::int64_t kBufferBytes = 2 * (4 + 6) * 8 + 2 * 8;  // statistics and batch counts
  auto spec = style_spec("ddp", 2);
  const auto with = test::run({spec});
  spec.framework_options.broadcast_buffers = false;
  const auto without = test::run({spec});
  CHECK(with.comm.collectives - without.comm.collectives == 4);
  CHECK(with.comm.bytes - without.comm.bytes == 4 * kBufferBytes);
  CHECK(largest_difference(with, without) < 1e-12);
}

TEST_CASE("ddp broadcasts buffers once for all accumulated micro-batches") {
  auto spec = style_spec("ddp", 2);
  spec.batch_per_gpu = 4;
  spec.accumulation_steps = 3;
  const auto with = test::run({spec});
  spec.framework_options.broadcast_buffers = false;
  CHECK(with.comm.collectives - test::run({spec}).comm.collectives == 4);
}

TEST_CASE("autocast gives the same bits as PyTorch's autocast") {
  torch::manual_seed(3);
  torch::nn::Sequential net(torch::nn::Conv2d(1, 4, 3), torch::nn::BatchNorm2d(4),
                            torch::nn::ReLU(), torch::nn::Flatten(), torch::nn::Linear(64, 5));
  const at::Tensor input = torch::randn({8, 1, 6, 6}), target = torch::arange(8) % 5;
  const trainer::Autocast autocast("bf16", torch::kCPU);
  at::Tensor scores, loss;
  {
    const auto casts = autocast.forward_pass();
    scores = net->forward(input);
    loss = trainer::cross_entropy(scores, target, 0);
  }
  loss.backward();
  CHECK(scores.scalar_type() == at::kBFloat16);
  CHECK(loss.scalar_type() == at::kFloat);
  CHECK(!at::autocast::is_autocast_enabled(at::kCPU));
  std::vector<at::Tensor> gradients;
  for (at::Tensor& parameter : net->parameters()) {
    CHECK(parameter.grad().scalar_type() == at::kFloat);
    gradients.push_back(parameter.grad().clone());
    parameter.mutable_grad().reset();
  }
  at::autocast::set_autocast_dtype(at::kCPU, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCPU, true);
  const at::Tensor by_hand = at::cross_entropy_loss(net->forward(input).to(at::kFloat), target);
  at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(at::kCPU, false);
  by_hand.backward();
  CHECK(torch::equal(loss, by_hand));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    CHECK(torch::equal(net->parameters()[i].grad(), gradients[i]));
  }
}

TEST_CASE("in bf16 every style trains nearly like one rank") {
  auto lone = style_spec("synchronous", 1);
  const auto alone = test::run({with_precision(lone, "bf16")});
  const auto unrounded = test::run({with_precision(lone, "fp32")});
  CHECK(largest_difference(alone, unrounded) > 1e-4);
  for (auto spec : test::style_specs(2)) {
    INFO(title_of(spec));
    const bool is_shared = spec.framework != "data_parallel";
    if (is_shared) spec.batch_norm = "synchronised";
    const auto found = test::run({with_precision(spec, "bf16")});
    const auto wide = is_shared ? unrounded : test::run({spec});
    CHECK(largest_difference(found, wide) > 1e-4);  // the difference without rounding is 1e-6
    CHECK(largest_difference(found, is_shared ? alone : wide) < 0.05);
  }
}

namespace {

/// Sets one sample of rank 1 to infinity in the second step, which exceeds the range of 16 bits.
void overflow_rank_1(int rank, int step, trainer::Batch& batch) {
  if (step == 1 && rank == 1) batch.input[0].fill_(std::numeric_limits<float>::infinity());
}

}  // namespace

TEST_CASE("a step that overflows on one rank is skipped by all ranks in every style") {
  for (auto spec : test::style_specs(2)) {
    if (has_one_replica(spec) || spec.framework_options.model_parallel_size == 2) continue;
    if (spec.framework == "data_parallel" || spec.framework == "vanilla_data_parallel") continue;
    spec = with_precision(spec, "fp16");
    INFO(title_of(spec));
    const auto once = test::run({.spec = spec, .steps = 1});
    const auto twice = test::run({.spec = spec, .steps = 2, .disturb = overflow_rank_1});
    CHECK(twice.counts.at("skipped_steps") == 1);
    for (const auto& [name, tensor] : once.state) {
      if (name.find(".bn") != std::string::npos) continue;
      if (name == "optimizer.loss_scale") continue;
      INFO(name);
      CHECK(torch::equal(tensor, twice.state.at(name)));
    }
    CHECK(twice.state.at("optimizer.loss_scale")[0].item<double>() == 32768);
  }
}

TEST_CASE("an fp16 step that overflows is skipped in styles in which rank 0 has all samples") {
  const auto overflow = [](int, int step, trainer::Batch& batch) {
    if (step == 1) batch.input[0].fill_(std::numeric_limits<float>::infinity());
  };
  for (const char* framework :
       {"vanilla_data_parallel", "data_parallel", "layerwise", "pipeline", "hybrid"}) {
    INFO(framework);
    const auto spec = with_precision(style_spec(framework, 2), "fp16");
    const auto once = test::run({.spec = spec, .steps = 1});
    const auto twice = test::run({.spec = spec, .steps = 2, .disturb = overflow});
    CHECK(twice.counts.at("skipped_steps") == 1);
    CHECK(
        torch::equal(once.state.at("model.hidden.weight"), twice.state.at("model.hidden.weight")));
    CHECK(torch::equal(once.state.at("model.conv1.weight"), twice.state.at("model.conv1.weight")));
  }
}

TEST_CASE("the loss scale of every style is restored with its state") {
  const auto overflow = [](int, int step, trainer::Batch& batch) {
    if (step == 0) batch.input.fill_(std::numeric_limits<float>::infinity());
  };
  for (auto spec : test::style_specs(2)) {
    spec = with_precision(spec, "fp16");
    INFO(title_of(spec));
    const auto first = test::run({.spec = spec, .steps = 1, .disturb = overflow});
    const auto second = test::run({.spec = spec, .steps = 2, .from = first.state});
    int scales = 0;
    for (const auto& [name, tensor] : second.state) {
      if (!name.ends_with("loss_scale")) continue;
      ++scales;
      CHECK(tensor[0].item<double>() == 32768);
      CHECK(tensor[1].item<double>() == 2);
    }
    CHECK(scales >= 1);
  }
}

TEST_CASE("in fp16 every style trains nearly like one rank in fp32") {
  const auto alone = test::run({with_precision(style_spec("synchronous", 1), "fp32")});
  for (auto spec : test::style_specs(2)) {
    INFO(title_of(spec));
    const bool is_shared = spec.framework != "data_parallel";
    if (is_shared) spec.batch_norm = "synchronised";
    const auto expected = is_shared ? alone : test::run({spec});
    spec.clip_norm = 100;  // limit above the norm of the unscaled gradients, so without effect
    const double difference =
        largest_difference(test::run({with_precision(spec, "fp16")}), expected);
    CHECK(difference > 2e-5);  // the difference without rounding is 1e-6
    CHECK(difference < 0.02);
  }
}
